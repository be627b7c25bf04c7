// The server that proxies connect to: HTTP/2 with TLS.

import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from "node:http2";
import { type Clock, ListenError } from "@homeostat/core";
import type { HttpAddress, Logger } from "@homeostat/runtime";
import { discoveryPath } from "@homeostat/sandbox-operator";
import { type KeyPair, readCertificate } from "@homeostat/x509";
import type { ProxyIdentity, TokenAuth, Verdict } from "../auth/token-auth.ts";
import { tokenEnd, type TokenLifetimeOptions } from "../auth/token-lifetime.ts";
import type { EndReason, StreamOperation } from "@homeostat/routing";
import { EnvoyStreams } from "../envoy/envoy-streams.ts";
import { Subscriber } from "../feed/subscriber.ts";
import type { TableFeed } from "../feed/table-feed.ts";
import { type JsonResponse, readJson, refusal, sendJson } from "../http/response.ts";
import type { RouteServerMetrics } from "../metrics/route-server-metrics.ts";
import type { LiveProxies } from "../proxies/live-proxies.ts";
import type { Traffic } from "../traffic/traffic.ts";
import { OperationLines } from "./operation-lines.ts";
import { sendOperations } from "./send-operations.ts";
import type { TokenUse } from "../proxies/use-writer.ts";
import { readAckRequest, readReport, readStreamRequest } from "./stream-request.ts";

export interface StreamServerOptions extends HttpAddress {
  readonly certificate: KeyPair;
  readonly feed: TableFeed;
  readonly auth: Pick<TokenAuth, "identify">;
  readonly proxies: LiveProxies;
  readonly traffic: Pick<Traffic, "record">;
  readonly metrics: RouteServerMetrics;
  readonly clock: Clock;
  readonly log: Logger;
  /** Namespace whose gateways may follow all namespaces. */
  readonly systemNamespace: string;
  /** Open streams of all proxies. Default 5,000. */
  readonly streamsMax?: number | undefined;
  /** Tables that may wait for a slow proxy before all are sent again. Default 10,000. */
  readonly backlogMax?: number | undefined;
  /** Receives the uses of preview tokens that gateways of the system namespace report. */
  readonly onUses?: ((uses: readonly TokenUse[]) => void) | undefined;
}

/** A listening server. Disposing of it ends all streams. */
export interface StreamServer extends AsyncDisposable {
  readonly port: number;
  /** Expiry of the certificate for new connections, in milliseconds since 1970. */
  readonly expiresAt: number;
  /** Uses another certificate for new connections. Open streams continue with theirs. */
  renew(this: void, certificate: KeyPair): void;
}

const streamsMaxDefault = 5_000;
/** Connections without any frame are closed after this time. Streams have a ping every 10 s. */
const idleMs = 60_000;
/** Time that clients have to read the end of their streams when the server stops. */
const closeMs = 500;

/** Serves streams of operations and takes confirmations. */
export async function serveStreams(options: StreamServerOptions): Promise<StreamServer> {
  const ending = new AbortController();
  const lines = new OperationLines();
  const envoys = new EnvoyStreams({ ...options, streamsMax: options.streamsMax ?? streamsMaxDefault });
  const sessions = new Set<ServerHttp2Session>();
  const server = createSecureServer(
    { ...options.certificate, minVersion: "TLSv1.2", handshakeTimeout: 5_000, settings: { maxConcurrentStreams: 100 } },
    (request, response) => void respond(options, { request, response, lines, envoys, signal: ending.signal }),
  );
  server.on("session", (session) => {
    sessions.add(session);
    session.setTimeout(idleMs, () => session.destroy());
    session.on("error", () => undefined);
    session.on("close", () => sessions.delete(session));
  });
  server.on("tlsClientError", (_, socket) => socket.destroy());
  await listen(server, options);
  const address = server.address();
  let expiresAt = expiryOf(options.certificate);
  return {
    get expiresAt() {
      return expiresAt;
    },
    port: typeof address === "object" && address !== null ? address.port : options.port,
    renew: (certificate) => {
      server.setSecureContext({ ...certificate, minVersion: "TLSv1.2" });
      expiresAt = expiryOf(certificate);
    },
    async [Symbol.asyncDispose]() {
      ending.abort();
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      // Clients get END and GOAWAY, then the connections are closed: a client that reads nothing must not delay the end for long.
      for (const session of sessions) session.close();
      const waiting = new AbortController();
      const timeout = options.clock.sleep(closeMs, waiting.signal).catch(() => undefined);
      await Promise.race([closed, timeout]);
      waiting.abort();
      for (const session of sessions) session.destroy();
      await closed;
    },
  };
}

function expiryOf({ cert }: KeyPair): number {
  return readCertificate(cert).validUntil.getTime();
}

function listen(server: Http2SecureServer, { host, port }: HttpAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (cause: Error): void => reject(new ListenError({ host, port, purpose: "streams" }, { cause }));
    server.once("error", fail);
    server.listen({ port, ...(host === undefined ? {} : { host }) }, () => {
      server.off("error", fail);
      // Errors after the server has started to listen concern single connections.
      server.on("error", () => undefined);
      resolve();
    });
  });
}

interface Exchange {
  readonly request: Http2ServerRequest;
  readonly response: Http2ServerResponse;
  /** Lines that all streams share. */
  readonly lines: OperationLines;
  readonly envoys: EnvoyStreams;
  readonly signal: AbortSignal;
}

async function respond(options: StreamServerOptions, exchange: Exchange): Promise<void> {
  const { request, response } = exchange;
  request.on("error", () => undefined);
  response.on("error", () => undefined);
  try {
    if (pathOf(request) === discoveryPath) {
      await exchange.envoys.serve(request, exchange.signal);
      return;
    }
    const result = await handle(options, exchange);
    if (result === undefined) return;
    if (result.status >= 400) options.metrics.refused.inc({ code: String(result.status) });
    sendJson(response, result);
  } catch (error) {
    options.log.error("HTTP handler failed", { path: pathOf(request), error });
    if (response.headersSent) response.end();
    else sendJson(response, refusal(500, "the request failed; see the log of the route server"));
  }
}

async function handle(options: StreamServerOptions, exchange: Exchange): Promise<JsonResponse | undefined> {
  const { request } = exchange;
  const path = pathOf(request);
  const method = { "/v1/stream": "GET", "/v1/ack": "POST", "/v1/report": "POST" }[path];
  if (method === undefined)
    return refusal(
      404,
      `${path.slice(0, 128)} does not exist; use /v1/stream, /v1/ack, /v1/report or the discovery service of Envoy`,
    );
  if (request.method !== method) return refusal(405, `${path} allows only ${method}`);
  const verdict = await options.auth.identify(request.headers.authorization ?? "");
  if ("refused" in verdict) return verdict.refused;
  if (path === "/v1/ack") return acknowledge(options, request, verdict.identity);
  if (path === "/v1/report") return report(options, request, verdict.identity);
  return stream(options, exchange, verdict);
}

async function stream(
  options: StreamServerOptions,
  { request, response, lines, signal }: Exchange,
  { identity, expiresAt }: Exclude<Verdict, { refused: JsonResponse }>,
): Promise<JsonResponse | undefined> {
  const {
    feed,
    proxies,
    clock,
    log,
    systemNamespace,
    streamsMax = streamsMaxDefault,
    backlogMax,
    metrics,
    auth,
  } = options;
  const query = new URL(request.url, "https://route-server").searchParams;
  const read = readStreamRequest(query, identity, systemNamespace);
  if ("refused" in read) return read.refused;
  if (proxies.size >= streamsMax) return refusal(503, `this replica has ${streamsMax} streams; connect to another one`);
  const { proxy: id, filter, from } = read.request;
  const closing = new AbortController();
  let end: { readonly reason: EndReason; readonly message: string } | undefined;
  let isStalled = false;
  const endWith = (reason: EndReason, message: string): void => {
    end ??= { reason, message };
    closing.abort();
  };
  response.once("close", () => closing.abort());
  if (response.destroyed) return undefined;
  const ended = AbortSignal.any([signal, closing.signal]);
  const authorization = request.headers.authorization ?? "";
  const watching = endWithToken({ auth, authorization, identity, expiresAt, clock, signal: ended }, endWith);
  response.writeHead(200, { "content-type": "application/x-ndjson", "cache-control": "no-store" });
  using subscriber = new Subscriber({ feed, filter, from, backlogMax });
  const open = proxies.open({
    owner: identity.namespace,
    id,
    filter,
    end: () => endWith("Replaced", `another stream of proxy ${id} was opened`),
  });
  log.info("Proxy connected", { proxy: id, namespace: identity.namespace, role: filter.role });
  try {
    await sendOperations(subscriber, {
      lines,
      clock,
      signal: ended,
      sink: {
        write: (line) => response.write(line),
        onDrain: (run) => void response.once("drain", run),
        abandon: () => {
          isStalled = true;
          response.stream.close();
        },
      },
    });
  } finally {
    open[Symbol.dispose]();
    closing.abort();
  }
  if (signal.aborted) end ??= { reason: "ServerStopping", message: "this replica stops; connect to another one" };
  if (end !== undefined && !response.destroyed) {
    const operation: StreamOperation = { op: "END", ...end };
    response.write(`${JSON.stringify(operation)}\n`);
  }
  response.end();
  const reason = end?.reason ?? (isStalled ? "Stalled" : "Disconnected");
  metrics.ended(reason);
  log.info("Proxy disconnected", { proxy: id, namespace: identity.namespace, role: filter.role, reason });
  await watching;
  return undefined;
}

/** Ends a stream when its token is no longer valid. */
async function endWithToken(
  token: TokenLifetimeOptions,
  endWith: (reason: EndReason, message: string) => void,
): Promise<void> {
  const end = await tokenEnd(token);
  if (end !== undefined) endWith(end.reason, end.message);
}

async function acknowledge(
  { feed, proxies, log, systemNamespace, onUses }: StreamServerOptions,
  request: Http2ServerRequest,
  identity: ProxyIdentity,
): Promise<JsonResponse> {
  const body = await readJson(request);
  if ("refused" in body) return body.refused;
  const read = readAckRequest(body.value);
  if ("refused" in read) return read.refused;
  const { proxy: id, version, epoch = feed.epoch, errors, uses } = read.request;
  if (epoch !== feed.epoch || version > feed.version) {
    return refusal(409, `version ${version} was not sent by this replica; confirm after SYNCED of the current stream`);
  }
  const failed = errors.map(({ namespace = identity.namespace, service }) => `${namespace}/${service}`);
  const isKnown = proxies.acknowledge({
    owner: identity.namespace,
    id,
    position: { epoch, version },
    failed: new Set(failed),
  });
  if (!isKnown) return withoutStream(id, identity);
  // Proxies of other namespaces never receive tokens.
  if (uses.length > 0 && identity.namespace === systemNamespace) onUses?.(uses);
  for (const { service, message } of errors) {
    log.warn("Proxy rejected a route table", {
      proxy: id,
      service: service.slice(0, 63),
      error: message.slice(0, 512),
    });
  }
  return { status: 200, body: { version } };
}

/** Takes a report of traffic. A proxy reports only about the tables that it gets. */
async function report(
  { proxies, traffic }: StreamServerOptions,
  request: Http2ServerRequest,
  identity: ProxyIdentity,
): Promise<JsonResponse> {
  const body = await readJson(request);
  if ("refused" in body) return body.refused;
  const read = readReport(body.value);
  if ("refused" in read) return read.refused;
  const { proxy: id } = read.request;
  const filter = proxies.filterOf({ owner: identity.namespace, id });
  if (filter === undefined) return withoutStream(id, identity);
  return { status: 200, body: traffic.record(read.request, filter) };
}

function withoutStream(id: string, { namespace }: ProxyIdentity): JsonResponse {
  const reason = `proxy ${id} of namespace ${namespace} has no open stream at this replica`;
  return refusal(409, `${reason}; open /v1/stream on the same connection first`);
}

function pathOf({ url }: Http2ServerRequest): string {
  return url.split("?", 1)[0] ?? "";
}
