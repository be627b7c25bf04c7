import type { IncomingMessage, Server, ServerOptions, ServerResponse } from "node:http";
import type { Server as TlsServer } from "node:https";
import type { Socket } from "node:net";
import { type Clock, limitConnections, ListenError, systemClock } from "@homeostat/core";
import { type Route, type RouteResponse, textResponse } from "./route.ts";

/** Where to listen. */
export interface HttpAddress {
  /** 0 for any that is free. */
  readonly port: number;
  /** Default: all addresses of the machine, IPv6 and IPv4. */
  readonly host?: string | undefined;
}

/** What a server shows who it is with: a certificate and its key, both PEM. */
export interface HttpCertificate {
  readonly cert: string;
  readonly key: string;
}

/** Decides who gets an answer: what to say instead of a page, or undefined to let a request through. */
export type HttpGuard = (request: {
  readonly path: string;
  /** The header of that name; empty without one. */
  readonly authorization: string;
}) => Promise<RouteResponse | undefined>;

/** Options of {@link serveHttp}. */
export interface HttpServerOptions extends HttpAddress {
  readonly routes: readonly Route[];
  /** What the port serves, named in the error when it cannot be opened: `metrics`. */
  readonly purpose?: string | undefined;
  /** With one it is HTTPS that is served. */
  readonly certificate?: HttpCertificate | undefined;
  /** Asked before every page. Default: everybody gets an answer. */
  readonly guard?: HttpGuard | undefined;
  /** Told of every route that throws. Must not throw. */
  readonly onError: (error: unknown, path: string) => void;
  /** Measures the deadline of requests. Default: the system's. */
  readonly clock?: Clock | undefined;
}

/** A server that answers. Disposing of it ends what is under way and closes every connection. */
export interface HttpServer extends AsyncDisposable {
  /** The port it listens on. */
  readonly port: number;
  /** Uses another certificate from the next connection on, where HTTPS is served. */
  renew(certificate: HttpCertificate): void;
}

/**
 * More connections than probes, scrapers and a few users need. At a limit the longest idle connection makes room, so that
 * the kubelet always gets its response: a pod whose probes are refused is restarted.
 */
const connectionLimits = { totalMax: 200, perAddressMax: 100 } as const;
/** The longest that a request may take, for routes that do not say otherwise. */
const requestMsMaxDefault = 30_000;
const pathLengthMax = 2048;
// An import would load WebSocket with it, and so a whole second HTTP client.
const { createServer } = process.getBuiltinModule("node:http");

const minVersion = "TLSv1.2";

/**
 * Serves routes over HTTP, or HTTPS where there is a certificate, for probes, scrapers and people.
 *
 * Only `GET` and `HEAD`, no bodies, short timeouts. Closes the connection of a client that sends anything but HTTP.
 * Idle and slow clients cannot lock out others: at most 200 connections are open, 100 of them from one address, and the
 * longest idle one is closed for a new one.
 */
export async function serveHttp(options: HttpServerOptions): Promise<HttpServer> {
  const leaving = new Set<() => void>();
  const server = serverOf(options, (request, response) => void respond(options, { request, response, leaving }));
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
      for (const leave of leaving) leave();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

const limits: ServerOptions = {
  // A client has five seconds for its headers and ten for its whole request, or its connection is closed.
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
  // Most programs never need it.
  const { createServer: createTlsServer } = process.getBuiltinModule("node:https");
  const server = createTlsServer({ ...limits, ...certificate, minVersion, handshakeTimeout: 5_000 }, listener);
  // A failed handshake, or one that takes longer, concerns that client only.
  server.on("tlsClientError", (_, socket) => socket.destroy());
  return server;
}

function listen(server: Server | TlsServer, { host, port, purpose }: HttpServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (cause: Error): void => reject(new ListenError({ host, port, purpose }, { cause }));
    server.once("error", fail);
    server.listen({ port, ...(host === undefined ? {} : { host }) }, () => {
      server.off("error", fail);
      // An error later than this one is about a single connection.
      server.on("error", () => undefined);
      resolve();
    });
  });
}

/** What is no HTTP gets a short answer if it can still be written to. */
function refuse(socket: Pick<Socket, "writable" | "end" | "destroy"> | NodeJS.WritableStream): void {
  if (socket.writable) socket.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
  else if ("destroy" in socket) socket.destroy();
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** How to break off what is under way; one signal for all would collect a listener per request. */
  readonly leaving: Set<() => void>;
}

async function respond({ routes, guard, onError }: HttpServerOptions, exchange: Exchange): Promise<void> {
  const { request, response, leaving } = exchange;
  const gone = new AbortController();
  const leave = (): void => gone.abort(new Error("nobody waits for the answer any more"));
  response.once("close", leave);
  leaving.add(leave);
  // Nothing here reads a body; what comes of one is thrown away.
  request.resume();
  request.on("error", () => undefined);
  response.on("error", () => undefined);
  let answer: RouteResponse;
  try {
    const refusal = await guard?.({ path: pathOf(request), authorization: request.headers.authorization ?? "" });
    answer = refusal ?? (await answerOf(routes, request, gone.signal));
  } catch (error) {
    answer = textResponse(500, "This page failed; the log of the program says why.");
    if (!gone.signal.aborted) onError(error, pathOf(request));
  }
  leaving.delete(leave);
  write(response, request, answer);
}

function answerOf(
  routes: readonly Route[],
  request: IncomingMessage,
  signal: AbortSignal,
): RouteResponse | Promise<RouteResponse> {
  const { method = "", url = "" } = request;
  if (method !== "GET" && method !== "HEAD") return textResponse(405, "Only GET and HEAD are answered here.");
  if (url.length > pathLengthMax) return textResponse(414, "The path is too long.");
  const path = pathOf(request);
  const route = routes.find((candidate) => path === candidate.path || path.startsWith(`${candidate.path}/`));
  if (route === undefined) {
    return textResponse(404, `There is nothing here. There are: ${routes.map((known) => known.path).join(", ")}.`);
  }
  if (route.isLocal === true && !isLoopback(request.socket.remoteAddress)) {
    return textResponse(403, "This page is for who is on the same machine. Try kubectl port-forward.");
  }
  const rest = decodedParts(path.slice(route.path.length));
  if (rest === undefined) return textResponse(400, "The path is not well formed.");
  return route.answer({ rest, query: new URLSearchParams(url.slice(path.length + 1)), signal });
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

function write(response: ServerResponse, { method }: IncomingMessage, answer: RouteResponse): void {
  const { status, contentType = "text/plain; charset=utf-8", body } = answer;
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

/** Whether an address is one of this machine alone, which is also where `kubectl port-forward` comes from. */
function isLoopback(address: string | undefined): boolean {
  return address === "::1" || /^(::ffff:)?127\./.test(address ?? "");
}
