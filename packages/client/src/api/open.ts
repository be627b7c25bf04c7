import { type Clock, type Random, systemClock, systemRandom } from "@homeostat/core";
import type { Connection } from "../kubeconfig/connection.ts";
import { connect, type ConnectOptions } from "../sockets/connect.ts";
import { correlationStage } from "../transport/correlation.ts";
import { fenceStage } from "../transport/fence.ts";
import { attemptMetricsStage, metricsStage, type RequestObserver } from "../transport/metrics.ts";
import { Pipeline } from "../transport/pipeline.ts";
import { rateLimitStage, type RateLimitOptions } from "../transport/rate-limit.ts";
import { retryStage, type RetryOptions } from "../transport/retries.ts";
import { type Layer, layered, type Transport } from "../transport/transport.ts";
import { type WarningOptions, warningStage } from "../transport/warnings.ts";

/** Options that select the layers of a client. */
export interface LayerOptions {
  readonly clock?: Clock;
  readonly random?: Random;
  /** Custom layers outside all others, such as tracing or logging. */
  readonly layers?: readonly Layer[];
  /** Receives request metrics with the names of client-go. */
  readonly observer?: RequestObserver;
  /** The `host` label of the metrics. Default: the host of the server, or empty. */
  readonly host?: string;
  /** Called for each warning of the server, once per text. */
  readonly onWarning?: WarningOptions["onWarning"];
  /** Returns the ID to send as `Audit-ID` for the server's audit log; see `withCorrelation`. */
  readonly correlationId?: () => string | undefined;
  /** Options of retries when the server asks for them; false disables retries. */
  readonly retries?: Pick<RetryOptions, "retriesMax" | "waitMsMax"> | false;
  /** A client-side rate limit. Default: none. */
  readonly rateLimit?: Pick<RateLimitOptions, "perSecond" | "burst">;
  /** Throws while writes are not allowed; see `withFence`. */
  readonly mayWrite?: () => void;
}

/** Options of {@link openTransport}. */
export interface OpenOptions extends ConnectOptions, LayerOptions {}

/** A transport and the function that closes its connections. */
export interface OpenTransport {
  readonly transport: Transport;
  readonly close: () => void;
}

/** Creates a transport to a server, with all layers. Nothing is sent before the first request. */
export function openTransport(connection: Connection, options: OpenOptions = {}): OpenTransport {
  const sockets = connect(connection, options);
  const host = new URL(connection.server).host;
  return { transport: withLayers(sockets, { host, ...options }), close: () => sockets.close() };
}

/** Wraps a transport in the layers that the options enable. Retries are the only layer that is on by default. */
export function withLayers(transport: Transport, options: LayerOptions): Transport {
  const { clock = systemClock, random = systemRandom, host = "", layers = [], observer } = options;
  const { onWarning, correlationId, retries = {}, rateLimit, mayWrite } = options;
  const pipeline = new Pipeline(transport, {
    measure: observer && metricsStage({ observer, clock, host }),
    inspect: onWarning && warningStage({ onWarning }),
    transform: correlationId && correlationStage(correlationId),
    retry:
      retries === false
        ? undefined
        : retryStage({
            ...retries,
            clock,
            random,
            onRetry: ({ method }, { status }) =>
              observer?.requestRetriesTotal({ code: String(status), verb: method, host }),
          }),
    throttle:
      rateLimit &&
      rateLimitStage({
        ...rateLimit,
        clock,
        onWait: ({ method }, ms) => observer?.rateLimiterDurationSeconds({ verb: method, host }, ms / 1000),
      }),
    attempted: observer && attemptMetricsStage({ observer, host }),
    // Innermost: a wait after this check could carry a write past the end of the lease.
    guard: mayWrite && fenceStage(mayWrite),
  });
  return layered(pipeline, layers);
}
