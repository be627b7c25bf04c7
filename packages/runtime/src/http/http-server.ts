import type { IncomingMessage, Server, ServerOptions, ServerResponse } from "node:http";
import type { Server as TlsServer } from "node:https";
import type { Socket } from "node:net";
import { type Clock, limitConnections, ListenError, systemClock } from "@homeostat/core";
import { type Route, type RouteResponse, textResponse } from "./route.ts";

/** The address to listen on. */
export interface HttpAddress {
  /** 0 for any free port. */
  readonly port: number;
  /** Default: all addresses of the host, IPv6 and IPv4. */
  readonly host?: string | undefined;
}

/** A serving certificate and its key, both PEM. */
export interface HttpCertificate {
  readonly cert: string;
  readonly key: string;
}

/**
 * Authenticates and authorizes requests: resolves with the response to a refused request, or with undefined to let it
 * pass.
 */
export type HttpGuard = (request: {
  readonly path: string;
  /** The `Authorization` header; empty if absent. */
  readonly authorization: string;
}) => Promise<RouteResponse | undefined>;

/** Options of {@link serveHttp}. */
export interface HttpServerOptions extends HttpAddress {
  readonly routes: readonly Route[];
  /** Purpose of the port, named in the error if it cannot be opened: `metrics`. */
  readonly purpose?: string | undefined;
  /** If set, HTTPS is served. */
  readonly certificate?: HttpCertificate | undefined;
  /** Called before every request is handled. Default: every request is allowed. */
  readonly guard?: HttpGuard | undefined;
  /** Called when a route throws. Must not throw. */
  readonly onError: (error: unknown, path: string) => void;
  /** Clock for the deadlines of requests. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

/** A listening server. Disposing of it aborts requests in progress and closes all connections. */
export interface HttpServer extends AsyncDisposable {
  /** The port it listens on. */
  readonly port: number;
  /** Sets the certificate for new connections. Has no effect without HTTPS. */
  renew(certificate: HttpCertificate): void;
}

/**
 * More connections than probes, scrapers and a few users need. At a limit the longest idle connection is closed for a
 * new one, so that the kubelet always gets a response: it restarts a pod whose liveness probes are refused.
 */
export const connectionLimits = { totalMax: 200, perAddressMax: 100 } as const;
/** Default deadline of a request. */
const requestMsMaxDefault = 30_000;
const pathLengthMax = 2048;
// An import statement would also load WebSocket, and with it a second HTTP client.
const { createServer } = process.getBuiltinModule("node:http");

const minVersion = "TLSv1.2";

/**
 * Serves routes over HTTP, or over HTTPS if there is a certificate, to probes, scrapers and users.
 *
 * Accepts only `GET` and `HEAD` without bodies, with short timeouts, and closes connections that send anything but
 * HTTP. Idle and slow clients cannot lock out others: at most 200 connections are open, 100 of them from one address,
 * and the longest idle one is closed for a new one.
 */
export async function serveHttp(options: HttpServerOptions): Promise<HttpServer> {
  const aborts = new Set<() => void>();
  const server = serverOf(options, (request, response) => void respond(options, { request, response, aborts }));
  limitConnections(server, {
    ...connectionLimits,
    clock: options.clock ?? systemClock,
    requestMsMax: Math.max(...options.routes.map((route) => route.requestMsMax ?? 0), requestMsMaxDefault),
  });
  server.maxHeadersCount = 100;
  server.on("clientError", (_error, socket) => refuse(socket));
  await listen(server, options);
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : options.port,
    renew: (certificate) => {
      if ("setSecureContext" in server) server.setSecureContext({ ...certificate, minVersion });
    },
    async [Symbol.asyncDispose]() {
      for (const abort of aborts) abort();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

const limits: ServerOptions = {
  // A client that takes longer for its headers or its whole request is disconnected.
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 2_000,
  keepAliveTimeout: 20_000,
  maxHeaderSize: 8192,
};

function serverOf(
  { certificate }: HttpServerOptions,
  listener: (request: IncomingMessage, response: ServerResponse) => void,
): Server | TlsServer {
  if (certificate === undefined) return createServer(limits, listener);
  // Loaded on demand: most programs serve plain HTTP.
  const { createServer: createTlsServer } = process.getBuiltinModule("node:https");
  const server = createTlsServer({ ...limits, ...certificate, minVersion, handshakeTimeout: 5_000 }, listener);
  // A failed or slow handshake concerns only that client.
  server.on("tlsClientError", (_, socket) => socket.destroy());
  return server;
}

function listen(server: Server | TlsServer, { host, port, purpose }: HttpServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (cause: Error): void => reject(new ListenError({ host, port, purpose }, { cause }));
    server.once("error", fail);
    server.listen({ port, ...(host === undefined ? {} : { host }) }, () => {
      server.off("error", fail);
      // Errors after the server has started to listen concern single connections.
      server.on("error", () => undefined);
      resolve();
    });
  });
}

/** Responds with 400 to data that is not HTTP, if the connection is still writable. */
function refuse(socket: Pick<Socket, "writable" | "end" | "destroy"> | NodeJS.WritableStream): void {
  if (socket.writable) socket.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
  else if ("destroy" in socket) socket.destroy();
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Abort functions of the requests in progress. A shared signal would accumulate one listener per request. */
  readonly aborts: Set<() => void>;
}

async function respond({ routes, guard, onError }: HttpServerOptions, exchange: Exchange): Promise<void> {
  const { request, response, aborts } = exchange;
  const disconnected = new AbortController();
  const abort = (): void => disconnected.abort(new Error("the client disconnected or the server is closing"));
  response.once("close", abort);
  aborts.add(abort);
  // Request bodies are not used. They are drained and discarded.
  request.resume();
  request.on("error", () => undefined);
  response.on("error", () => undefined);
  let result: RouteResponse;
  try {
    const refusal = await guard?.({ path: pathOf(request), authorization: request.headers.authorization ?? "" });
    result = refusal ?? (await handle(routes, request, disconnected.signal));
  } catch (error) {
    result = textResponse(500, "The request failed; see the log of the program.");
    if (!disconnected.signal.aborted) onError(error, pathOf(request));
  }
  aborts.delete(abort);
  write(response, request, result);
}

function handle(
  routes: readonly Route[],
  request: IncomingMessage,
  signal: AbortSignal,
): RouteResponse | Promise<RouteResponse> {
  const { method = "", url = "" } = request;
  if (method !== "GET" && method !== "HEAD") return textResponse(405, "Only GET and HEAD are allowed.");
  if (url.length > pathLengthMax) return textResponse(414, "The path is too long.");
  const path = pathOf(request);
  const route = routes.find((candidate) => path === candidate.path || path.startsWith(`${candidate.path}/`));
  if (route === undefined) {
    return textResponse(404, `Path not found. Available paths: ${routes.map((known) => known.path).join(", ")}.`);
  }
  if (route.isLocal === true && !isLoopback(request.socket.remoteAddress)) {
    return textResponse(403, "This page is only available from localhost; use kubectl port-forward.");
  }
  const rest = decodedParts(path.slice(route.path.length));
  if (rest === undefined) return textResponse(400, "The path is malformed.");
  return route.respond({ rest, query: new URLSearchParams(url.slice(path.length + 1)), signal });
}

function pathOf({ url = "" }: IncomingMessage): string {
  const [path = ""] = url.split("?", 1);
  return path.slice(0, pathLengthMax);
}

function decodedParts(path: string): readonly string[] | undefined {
  try {
    return path
      .split("/")
      .filter((part) => part !== "")
      .map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

function write(response: ServerResponse, { method }: IncomingMessage, result: RouteResponse): void {
  const { status, contentType = "text/plain; charset=utf-8", body } = result;
  if (response.destroyed) return;
  response.writeHead(status, {
    "content-type": contentType,
    "content-length": Buffer.byteLength(body),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...(status === 405 ? { allow: "GET, HEAD", connection: "close" } : {}),
  });
  response.end(method === "HEAD" ? undefined : body);
}

/** Reports whether an address is a loopback address. `kubectl port-forward` connects from one, too. */
function isLoopback(address: string | undefined): boolean {
  return address === "::1" || /^(::ffff:)?127\./.test(address ?? "");
}
