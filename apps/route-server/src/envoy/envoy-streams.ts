// Streams through which Envoys receive the routes of their namespace, by the aggregated discovery service.

import type { Http2ServerRequest, ServerHttp2Stream } from "node:http2";
import { type Clock, readPointer } from "@homeostat/core";
import type { Logger } from "@homeostat/runtime";
import { type DiscoveryEnd, DiscoveryStream, refuseDiscovery } from "@homeostat/sandbox-operator";
import type { TokenAuth, Verdict } from "../auth/token-auth.ts";
import { tokenEnd } from "../auth/token-lifetime.ts";
import type { TableFilter } from "../feed/filter.ts";
import type { TableFeed } from "../feed/table-feed.ts";
import type { RouteServerMetrics } from "../metrics/route-server-metrics.ts";
import type { LiveProxies } from "../proxies/live-proxies.ts";
import { isProxyName } from "../proxies/proxy-name.ts";
import { EnvoyRoutes } from "./envoy-routes.ts";

export interface EnvoyStreamsOptions {
  readonly feed: TableFeed;
  readonly auth: Pick<TokenAuth, "identify">;
  readonly proxies: LiveProxies;
  readonly metrics: RouteServerMetrics;
  readonly clock: Clock;
  readonly log: Logger;
  readonly streamsMax: number;
}

type Accepted = Exclude<Verdict, { readonly refused: unknown }>;

/** Interval of the pings that keep a connection open: the server closes one without any frame after a minute. */
const pingMs = 20_000;

/** gRPC status codes by HTTP status of the refusal. */
const codes: Readonly<Record<number, DiscoveryEnd["code"]>> = { 401: "unauthenticated", 403: "permissionDenied" };

/**
 * Serves Envoys. Each Envoy receives the routes of the namespace of its token, and is counted as a proxy with the role
 * takeover.
 */
export class EnvoyStreams {
  readonly #options: EnvoyStreamsOptions;
  readonly #routes = new Map<string, EnvoyRoutes>();

  constructor(options: EnvoyStreamsOptions) {
    this.#options = options;
  }

  /** Serves the stream of a request until it ends, or refuses it. */
  async serve({ stream, headers }: Http2ServerRequest, signal: AbortSignal): Promise<void> {
    const { auth, proxies, metrics, streamsMax } = this.#options;
    const authorization = headers.authorization ?? "";
    const verdict = await auth.identify(authorization);
    if (stream.destroyed) return;
    if ("refused" in verdict) {
      const { status, body } = verdict.refused;
      metrics.refused.inc({ code: String(status) });
      refuseDiscovery(stream, { code: codes[status] ?? "unavailable", message: String(readPointer(body, "/error")) });
    } else if (proxies.size >= streamsMax) {
      const message = `this replica has ${streamsMax} streams; connect to another one`;
      refuseDiscovery(stream, { code: "unavailable", message });
    } else await this.#follow(stream, { ...verdict, authorization, signal });
  }

  async #follow(
    stream: ServerHttp2Stream,
    {
      identity,
      expiresAt,
      authorization,
      signal,
    }: Accepted & { readonly authorization: string; readonly signal: AbortSignal },
  ): Promise<void> {
    const { auth, proxies, clock, log } = this.#options;
    const { namespace } = identity;
    const closing = new AbortController();
    const ended = AbortSignal.any([signal, closing.signal]);
    stream.once("close", () => closing.abort());
    const routes = this.#routesOf(namespace);
    const { epoch } = this.#options.feed;
    let { version } = routes.current;
    let open: Disposable | undefined;
    const onRequest = (): void => {
      const { nodeId, isSynced } = envoy;
      if (!isProxyName(nodeId)) {
        const message =
          "node.id must be the name of the Envoy, such as that of its pod: letters, digits, dots and dashes";
        envoy.end({ code: "invalidArgument", message });
        return;
      }
      if (open === undefined) {
        const filter: TableFilter = { namespace, role: "takeover", services: undefined };
        const end = (): void =>
          envoy.end({ code: "unavailable", message: `another stream of Envoy ${nodeId} was opened` });
        open = proxies.open({ owner: namespace, id: nodeId, filter, end });
        log.info("Envoy connected", { proxy: nodeId, namespace });
      }
      if (isSynced)
        proxies.acknowledge({ owner: namespace, id: nodeId, position: { epoch, version }, failed: new Set() });
      reportRejections();
    };
    let reported = "";
    const reportRejections = (): void => {
      const text = envoy.rejections.map(({ typeUrl, message }) => `${typeUrl}: ${message}`).join("; ");
      if (text !== "" && text !== reported) {
        log.warn("Envoy rejected routes", { proxy: envoy.nodeId, namespace, error: text.slice(0, 1_024) });
      }
      reported = text;
    };
    const envoy = new DiscoveryStream(stream, { state: routes.current.state, onRequest });
    const following = routes.follow((next) => {
      version = next.version;
      envoy.update(next.state);
      // If the change affects no resource of this Envoy, no response is sent, and Envoy does not confirm anything.
      if (envoy.nodeId !== "" && envoy.isSynced) onRequest();
    });
    const pinging = keepAlive(stream, { clock, signal: ended });
    const end = await tokenEnd({ auth, authorization, identity, expiresAt, clock, signal: ended });
    if (end !== undefined) envoy.end({ code: "unauthenticated", message: end.message });
    else if (signal.aborted) envoy.end({ code: "unavailable", message: "this replica stops; connect to another one" });
    following[Symbol.dispose]();
    open?.[Symbol.dispose]();
    this.#release(namespace, routes);
    closing.abort();
    await pinging;
    if (envoy.nodeId !== "") log.info("Envoy disconnected", { proxy: envoy.nodeId, namespace });
  }

  #routesOf(namespace: string): EnvoyRoutes {
    const { feed, clock } = this.#options;
    const routes = this.#routes.get(namespace) ?? new EnvoyRoutes(namespace, { feed, clock });
    this.#routes.set(namespace, routes);
    return routes;
  }

  #release(namespace: string, routes: EnvoyRoutes): void {
    if (routes.isFollowed) return;
    routes[Symbol.dispose]();
    this.#routes.delete(namespace);
  }
}

async function keepAlive(
  stream: ServerHttp2Stream,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(pingMs, signal).catch(() => undefined);
    if (!signal.aborted && stream.session?.destroyed === false) stream.session.ping(() => undefined);
  }
}
