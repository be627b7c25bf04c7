import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Duplex } from "node:stream";
import { setImmediate } from "node:timers/promises";

/** Requests that Node's own parser finds in the bytes of a client. */
export interface LlhttpResult {
  /** Method and target of each request that it read to its end. */
  readonly requests: readonly string[];
  /** Code of the error for which the rest was refused. */
  readonly error: string | undefined;
}

/** Reads bytes with llhttp, through a strict server of `node:http`. */
export async function readWithLlhttp(bytes: string): Promise<LlhttpResult> {
  const requests: IncomingMessage[] = [];
  let error: string | undefined;
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    requests.push(request);
    request.on("error", () => undefined);
    request.on("end", () => response.end());
    request.resume();
  };
  const server = createServer({ insecureHTTPParser: false, maxHeaderSize: 32_768, keepAlive: false }, onRequest);
  server.on("checkContinue", onRequest);
  server.on("checkExpectation", onRequest);
  server.on("clientError", (cause: NodeJS.ErrnoException, socket) => {
    error ??= cause.code ?? cause.message;
    socket.destroy();
  });
  const duplex = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
  duplex.on("error", () => undefined);
  server.emit("connection", duplex);
  duplex.push(Buffer.from(bytes, "latin1"));
  await setImmediate();
  duplex.push(null);
  await setImmediate();
  await setImmediate();
  duplex.destroy();
  // Complete also means read by the parser if an error after it prevents that the body is delivered.
  const complete = requests.filter((request) => request.complete);
  return { requests: complete.map(({ method, url }) => `${method} ${url}`), error };
}
