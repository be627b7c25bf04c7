import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer as createTcpServer, type Server, type Socket } from "node:net";
import type { ProgramContext } from "../node/program.ts";

const { createServer } = process.getBuiltinModule("node:http");

/** A request to a model with its whole body. */
export interface ModelRequest {
  readonly method: string;
  /** Path without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

/** The HTTP response of a model. */
export interface ModelResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Largest request body that a model reads; larger ones get status 413. */
const bodyBytesMax = 1_048_576;
const host = "127.0.0.1";

/** Serves HTTP on a port of a pod. Disposing of the result closes all connections. */
export function serveHttp(
  context: ProgramContext,
  port: number,
  answer: (request: ModelRequest) => ModelResponse | Promise<ModelResponse>,
): Disposable {
  const server = createServer({ requestTimeout: 30_000, headersTimeout: 10_000 }, (request, response) => {
    respond(request, response, answer).catch(() => response.destroy());
  });
  const bound = bindWhenListening(context, port, server);
  return {
    [Symbol.dispose]: () => {
      bound[Symbol.dispose]();
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Accepts TCP connections on a port of a pod. Disposing of the result closes all of them. */
export function serveTcp(context: ProgramContext, port: number, take: (socket: Socket) => void): Disposable {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    take(socket);
  });
  const bound = bindWhenListening(context, port, server);
  return {
    [Symbol.dispose]: () => {
      bound[Symbol.dispose]();
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Builds a JSON response, indented by two spaces. */
export function jsonResponse(value: unknown, status = 200): ModelResponse {
  return { status, headers: { "content-type": "application/json" }, body: `${JSON.stringify(value, undefined, 2)}\n` };
}

function bindWhenListening(
  { network, pod }: ProgramContext,
  port: number,
  server: Pick<Server, "listen" | "address" | "on">,
): Disposable {
  let bound: Disposable | undefined;
  let isClosed = false;
  server.on("error", () => undefined);
  server.listen({ host, port: 0 }, () => {
    const address = server.address();
    if (isClosed || address === null || typeof address === "string") return;
    bound = network.bind(pod.ip, port, { host, port: address.port });
  });
  return {
    [Symbol.dispose]: () => {
      isClosed = true;
      bound?.[Symbol.dispose]();
    },
  };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  answer: (request: ModelRequest) => ModelResponse | Promise<ModelResponse>,
): Promise<void> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request) {
    const part = Buffer.isBuffer(piece) ? piece : Buffer.from(String(piece));
    bytes += part.length;
    if (bytes > bodyBytesMax) return void response.writeHead(413).end();
    pieces.push(part);
  }
  const [path = "/", query = ""] = (request.url ?? "/").split("?", 2);
  const { status, headers, body } = await answer({
    method: request.method ?? "GET",
    path,
    query: new URLSearchParams(query),
    headers: request.headers,
    body: Buffer.concat(pieces).toString("utf8"),
  });
  response.writeHead(status, { ...headers, "content-length": String(Buffer.byteLength(body)) });
  response.end(request.method === "HEAD" ? undefined : body);
}
