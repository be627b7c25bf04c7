// The query server for humans, command lines and message consumers: HTTP/1.1 with JSON.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type Clock, formatTime, limitConnections, ListenError, type Random } from "@homeostat/core";
import { explain, KeyReader, parseRoutingSettings } from "@homeostat/routing";
import { type HttpAddress, type Logger, Registry } from "@homeostat/runtime";
import type { TableFeed } from "../feed/table-feed.ts";
import { type JsonResponse, readJson, refusal, sendJson } from "../http/response.ts";
import type { LiveProxies } from "../proxies/live-proxies.ts";
import type { PropagationAudit } from "../traffic/propagation-audit.ts";
import { readExplainRequest } from "./explain-request.ts";
import { readRulesRequest, routingRules } from "./routing-rules.ts";
import { watchRules } from "./watch-rules.ts";

export interface QueryServerOptions extends HttpAddress {
  readonly feed: TableFeed;
  readonly proxies: LiveProxies;
  readonly audit: Pick<PropagationAudit, "lost">;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly registry: Registry;
  /** Reports whether all tables are known. */
  readonly isReady: () => boolean;
}

/** A listening server. Disposing of it closes all connections. */
export interface QueryServer extends AsyncDisposable {
  readonly port: number;
}

type Handler = (
  options: QueryServerOptions,
  exchange: { readonly request: IncomingMessage; readonly response: ServerResponse; readonly query: URLSearchParams },
) => JsonResponse | undefined | Promise<JsonResponse | undefined>;

/** All paths with their methods. */
const routes: Readonly<Record<string, { readonly method: "GET" | "POST"; readonly handle: Handler }>> = {
  "/api/v1/workloads/routing-rules": { method: "GET", handle: rules },
  "/api/v1/explain": { method: "POST", handle: explainRoute },
  "/api/v1/services": { method: "GET", handle: services },
  "/api/v1/propagation": { method: "GET", handle: propagation },
  "/healthz": { method: "GET", handle: () => ({ status: 200, body: { status: "ok" } }) },
  "/readyz": {
    method: "GET",
    handle: ({ isReady }) =>
      isReady() ? { status: 200, body: { status: "ok" } } : refusal(503, "the route tables are not read yet"),
  },
  "/metrics": { method: "GET", handle: metrics },
};

/** Serves queries. They need no token: every client that reaches the port can read the routes of all namespaces. */
export async function serveQueries(options: QueryServerOptions): Promise<QueryServer> {
  const { clock, host, port } = options;
  const server = createServer(
    { headersTimeout: 5_000, requestTimeout: 10_000, keepAliveTimeout: 20_000, maxHeaderSize: 16_384 },
    (request, response) => void respond(options, request, response),
  );
  limitConnections(server, { totalMax: 1_000, perAddressMax: 100, clock, requestMsMax: Number.POSITIVE_INFINITY });
  server.on("clientError", (_, socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    const fail = (cause: Error): void => reject(new ListenError({ host, port, purpose: "queries" }, { cause }));
    server.once("error", fail);
    server.listen({ port, ...(host === undefined ? {} : { host }) }, () => {
      server.off("error", fail);
      server.on("error", () => undefined);
      resolve();
    });
  });
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : port,
    async [Symbol.asyncDispose]() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

async function respond(options: QueryServerOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  request.on("error", () => undefined);
  response.on("error", () => undefined);
  const [path = "", search = ""] = (request.url ?? "").split("?", 2);
  try {
    const route = Object.hasOwn(routes, path) ? routes[path] : undefined;
    let result: JsonResponse | undefined;
    if (route === undefined) {
      result = refusal(404, `${path.slice(0, 128)} does not exist; use ${Object.keys(routes).join(", ")}`);
    } else if (request.method !== route.method) result = refusal(405, `${path} allows only ${route.method}`);
    else result = await route.handle(options, { request, response, query: new URLSearchParams(search) });
    if (result !== undefined) sendJson(response, result);
  } catch (error) {
    options.log.error("HTTP handler failed", { path, error });
    if (response.headersSent) response.end();
    else sendJson(response, refusal(500, "the request failed; see the log of the route server"));
  }
}

function rules(...[options, { response, query }]: Parameters<Handler>): ReturnType<Handler> {
  const { feed, clock } = options;
  const read = readRulesRequest(query);
  if ("refused" in read) return read.refused;
  const { filter, isWatch } = read.request;
  const find = (): unknown => ({
    routingRules: routingRules(
      [...feed.records()].map(({ table }) => table),
      filter,
    ),
  });
  if (!isWatch) return { status: 200, body: find() };
  return watchRules({ feed, response, find, clock }).then(() => undefined);
}

async function explainRoute(...[{ feed, random }, { request }]: Parameters<Handler>): Promise<JsonResponse> {
  const body = await readJson(request);
  if ("refused" in body) return body.refused;
  const read = readExplainRequest(body.value);
  if ("refused" in read) return read.refused;
  const { namespace, service, port, request: view } = read.request;
  const table = feed.record(`${namespace}/${service}`)?.table;
  if (table === undefined) {
    return refusal(
      404,
      `Service ${service} of namespace ${namespace} has no route table: every request reaches the baseline`,
    );
  }
  const [only] = table.ports;
  if (port === undefined && table.ports.length !== 1) {
    const ports = table.ports.map((each) => each.port).join(", ");
    return refusal(400, `port must be one of the ports of Service ${service}: ${ports}`);
  }
  const { settings } = parseRoutingSettings(feed.settings);
  const keys = new KeyReader({ role: "takeover", settings });
  const knownKeys = new Set(
    [...feed.records()].flatMap((each) => each.table.entries.map(({ routingKey }) => routingKey)),
  );
  return {
    status: 200,
    body: explain({ table, port: port ?? only?.port ?? 0, request: view, keys, random, knownKeys }),
  };
}

function services(...[{ feed, proxies }, { query }]: Parameters<Handler>): JsonResponse {
  const namespace = query.get("namespace") ?? undefined;
  const found = [...feed.records()]
    .filter(({ table }) => namespace === undefined || table.namespace === namespace)
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
    .map((record) => ({
      namespace: record.table.namespace,
      service: record.table.service,
      version: record.table.version,
      interception: record.table.interception,
      ports: record.table.ports.map(({ port }) => port),
      entries: record.table.entries.length,
      proxies: proxies.count(record),
    }));
  return { status: 200, body: { services: found } };
}

function propagation(...[{ audit, feed, clock }, { query }]: Parameters<Handler>): JsonResponse {
  const namespace = query.get("namespace") ?? undefined;
  const entries = [...feed.records()].flatMap(({ table }) => table.entries);
  const lost = audit
    .lost(clock.now())
    .filter((each) => namespace === undefined || each.namespace === namespace)
    .map(({ keys, lastAt, ...hop }) => ({
      ...hop,
      lastTime: formatTime(lastAt),
      sandboxes: [
        ...new Set(entries.filter(({ routingKey }) => keys.has(routingKey)).map(({ sandbox }) => sandbox)),
      ].sort(),
    }));
  return { status: 200, body: { lost } };
}

function metrics(...[{ registry }, { response }]: Parameters<Handler>): undefined {
  response.setHeader("content-type", Registry.contentType);
  response.end(registry.expose());
}
