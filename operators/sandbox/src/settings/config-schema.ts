// The keys of `config.yaml` in the ConfigMap `sandbox-config`, with their defaults and limits.

import { defineResource, s } from "homeostat";
import { atLeastRule } from "../api/duration.ts";
import { group, version } from "../api/identity.ts";
import { duration, quantity } from "../api/spec-common.ts";
import { headerName } from "../api/spec-http.ts";
import { routingKeyHeader } from "../api/spec-route.ts";

/** A duration of at least one second. */
const time = (text: string) => duration.rule(atLeastRule({ seconds: 1, zero: false })).default(text);

const keyHeaders = s.list(routingKeyHeader).atomic().max(16);

/** The name of a member of baggage and tracestate. */
const memberName = s.string().min(1).max(256).pattern("^[a-z0-9][a-z0-9_*-]*$");

const routing = s
  .object({
    keyNames: s
      .list(memberName)
      .atomic()
      .min(1)
      .max(16)
      .default(["routing-key", "sd-routing-key"])
      .describe("Members of baggage and tracestate that carry the key, in order."),
    explicitHeaders: keyHeaders
      .default(["x-routing-key", "x-route-key"])
      .describe("Headers that carry the key and nothing else, in order."),
    compatHeaders: keyHeaders
      .default(["ot-baggage-sd-routing-key", "uberctx-sd-routing-key", "ot-baggage-routing-key", "uberctx-routing-key"])
      .describe("Headers with which older tracers propagate a single baggage member."),
    customHeaders: keyHeaders.default([]).describe("Further headers, read last."),
    tracestate: s
      .object({
        read: s.bool().default(true).describe("Whether keys are read from tracestate."),
        requireTraceparent: s.bool().default(false).describe("Whether tracestate is ignored without a traceparent."),
      })
      .default({}),
    inject: s
      .list(headerName)
      .atomic()
      .max(16)
      .default(["baggage", "x-routing-key"])
      .describe("Forms in which the key is written: baggage, or an explicit header."),
    debugResponseHeader: s
      .bool()
      .default(true)
      .describe("Whether responses contain the header x-sandbox-route, which names the route."),
    acceptExternalKeys: s
      .bool()
      .default(false)
      .describe("Whether the gateway accepts routing keys of requests from outside the cluster."),
    auditPercent: s
      .int()
      .min(0)
      .max(100)
      .default(10)
      .describe(
        "Share of the traces that proxies report, to find services that lose the routing key. 0 disables the reports.",
      ),
  })
  .rule({
    rule: "self.inject.all(form, form == 'baggage' || self.explicitHeaders.exists(header, header.lowerAscii() == form.lowerAscii()))",
    message: "must contain only baggage and headers of explicitHeaders: proxies do not read others",
    reason: "FieldValueInvalid",
    fieldPath: ".inject",
  });

const preview = s.object({
  domain: s
    .string()
    .max(200)
    .pattern(String.raw`^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+)?$`)
    .default("")
    .describe("Domain of preview addresses. Preview addresses are disabled if it is empty."),
  scheme: s.enum("https", "http").default("https"),
  tokenTTL: time("12h").describe("Lifetime of preview tokens."),
  forward: s
    .object({
      url: s
        .string()
        .max(512)
        .pattern(String.raw`^(https?://[^\s]+)?$`)
        .default("")
        .describe(
          "URL of the service that authorizes requests to endpoints with the authentication Forward, and identifies the users of links that are bound to one user.",
        ),
      headers: s
        .list(headerName)
        .atomic()
        .max(32)
        .default([])
        .describe("Headers that are copied from the response of that service to the request."),
      userHeader: s
        .string()
        .max(128)
        .pattern(String.raw`^([!#$%&'*+.^_\x60|~0-9A-Za-z-]+)?$`)
        .default("")
        .describe(
          "Header of the response of that service that names the user. Links that are bound to a user need it.",
        ),
      timeout: duration
        .rule(atLeastRule({ seconds: 1, zero: false }))
        .default("2s")
        .describe("Response timeout of that service."),
    })
    .default({}),
});

const amounts = { cpu: quantity, memory: quantity };

const limits = s.object({
  maxTTL: duration
    .rule(atLeastRule({ seconds: 300, zero: false }))
    .default("7d")
    .describe("Longest lifetime of sandboxes."),
  allowForever: s.bool().default(false).describe("Whether sandboxes with the ttl 0 are allowed; they never expire."),
  sandboxResources: s
    .object({ cpu: amounts.cpu.default("2"), memory: amounts.memory.default("2Gi") })
    .default({})
    .describe("Ceilings of sandboxes without spec.resources."),
  containerResources: s
    .object({ cpu: amounts.cpu.default("500m"), memory: amounts.memory.default("512Mi") })
    .default({})
    .describe("Limits for fork containers that have neither a limit nor a request."),
});

const bytes = (value: number) =>
  s
    .int()
    .min(1024)
    .max(2 ** 30)
    .default(value);
const countOf = (value: number, most: number) => s.int().min(1).max(most).default(value);

const proxy = s.object({
  connectTimeout: time("1s"),
  tlsHandshakeTimeout: time("3s"),
  requestHeadersTimeout: time("10s"),
  responseHeadersTimeout: time("30s"),
  streamIdleTimeout: time("5m"),
  longStreamIdleTimeout: time("1h").describe("Idle timeout of WebSockets and server-sent events."),
  clientKeepAlive: time("75s"),
  upstreamKeepAlive: time("55s").describe(
    "Keep-alive time of connections to workloads. It must be shorter than that of the servers; otherwise a request can be sent while the server closes the connection.",
  ),
  headerBytesMax: bytes(32 * 1024),
  connectionsMax: countOf(10_000, 1_000_000).describe("Connections per listener."),
  pendingMax: countOf(1024, 100_000).describe("Waiting requests per workload."),
  heldRequestsMax: countOf(512, 100_000).describe("Held requests per workload."),
  heldBytesMax: bytes(8 * 1024 * 1024).describe("Buffered bodies of held requests per workload."),
  retriesMax: s.int().min(0).max(1).default(1),
  shutdownDelay: time("5s"),
  shutdownTimeout: time("30s"),
});

const tunnel = s.object({
  url: s
    .string()
    .max(512)
    .pattern(String.raw`^(wss://[^\s]+)?$`)
    .default("")
    .describe("Address of the tunnel server for clients. Default: wss://tunnel. under the preview domain."),
  pingInterval: time("10s").describe(
    "Interval of pings. A machine counts as lost after two intervals without received data.",
  ),
  accessCheckInterval: time("5m").describe("Interval between access reviews of the user of an attached machine."),
  windowBytesMax: bytes(16 * 1024 * 1024).describe("Largest receive window of a stream."),
  connectionBytesMax: bytes(64 * 1024 * 1024).describe(
    "Maximum number of unread bytes of all streams of a connection.",
  ),
  streamsMax: countOf(1000, 100_000),
  acceptQueueMax: countOf(256, 10_000).describe("Maximum number of streams per connection that wait to be accepted."),
  failuresPerMinuteMax: countOf(5, 1000).describe("Maximum number of failed attempts to attach, per source address."),
});

/**
 * The configuration as a kind, to use its schema for validation. Its CRD is never installed; its spec is the content of
 * `config.yaml`.
 */
export const ConfigFile = defineResource({
  group,
  version,
  kind: "ConfigFile",
  spec: s.object({
    routing: routing.default({}),
    preview: preview.default({}),
    limits: limits.default({}),
    drift: s
      .object({
        debounce: time("30s").describe("Time without a change of the baseline before forks follow it."),
        minInterval: time("5m").describe("Shortest time between two rebases of a fork."),
      })
      .default({}),
    takeover: s
      .object({
        linger: time("60s").describe("Time for which a Service remains taken over after its last route was removed."),
        watchdog: time("10s").describe("Time within which a Service without a ready proxy is restored."),
      })
      .default({}),
    mesh: s
      .object({
        provider: s.enum("auto", "none", "gatewayapi", "istio").default("auto"),
        headerRegex: s
          .enum("auto", "true", "false")
          .default("auto")
          .describe("Whether the mesh supports regular expressions."),
      })
      .default({}),
    proxy: proxy.default({}),
    tunnel: tunnel.default({}),
    cleanup: s
      .object({
        drain: time("10s").describe("Time for which open requests of a removed workload may continue."),
        forceAfter: time("5m").describe("Time after which a deletion that does not end is reported."),
      })
      .default({}),
  }),
});
