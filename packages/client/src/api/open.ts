import { type Clock, type Random, systemClock, systemRandom } from "@homeostat/core";
import type { Connection } from "../kubeconfig/connection.ts";
import { connect, type ConnectOptions } from "../sockets/connect.ts";
import { withCorrelation } from "../transport/correlation.ts";
import { withFence } from "../transport/fence.ts";
import { type RequestObserver, withAttemptMetrics, withMetrics } from "../transport/metrics.ts";
import { type RateLimitOptions, withRateLimit } from "../transport/rate-limit.ts";
import { type RetryOptions, withRetries } from "../transport/retries.ts";
import { type Layer, layered, type Transport } from "../transport/transport.ts";
import { type WarningOptions, withWarnings } from "../transport/warnings.ts";

/** Which layers a client's requests go through. */
export interface LayerOptions {
  readonly clock?: Clock;
  readonly random?: Random;
  /** Layers of your own, outside all others: spans, a log. */
  readonly layers?: readonly Layer[];
  /** Told what requests do, under client-go's names for it. */
  readonly observer?: RequestObserver;
  /** The `host` label of the metrics. Default the server's, or empty. */
  readonly host?: string;
  /** Told what the server warns of, each text once. */
  readonly onWarning?: WarningOptions["onWarning"];
  /** The id that requests are marked with for the server's audit log; see `withCorrelation`. */
  readonly correlationId?: () => string | undefined;
  /** How patient to be with a busy server; false for not at all. */
  readonly retries?: Pick<RetryOptions, "retriesMax" | "waitMsMax"> | false;
  /** A limit on how fast requests leave. Default none. */
  readonly rateLimit?: Pick<RateLimitOptions, "perSecond" | "burst">;
  /** Throws when no write may leave; see `withFence`. */
  readonly mayWrite?: () => void;
}

/** How to open the way to a server. */
export interface OpenOptions extends ConnectOptions, LayerOptions {}

/** A transport, and how to close what it has opened. */
export interface OpenTransport {
  readonly transport: Transport;
  readonly close: () => void;
}

/** Opens the way to a server, with all layers. Stands for `layered(connect(connection, options), [withRetries(…), …])`. */
export function openTransport(connection: Connection, options: OpenOptions = {}): OpenTransport {
  const sockets = connect(connection, options);
  const host = new URL(connection.server).host;
  return { transport: withLayers(sockets, { host, ...options }), close: () => sockets.close() };
}

/** A transport inside the layers that the options ask for. Retries are the only ones that are there unless told. */
export function withLayers(transport: Transport, options: LayerOptions): Transport {
  const { clock = systemClock, random = systemRandom, host = "", layers = [], observer } = options;
  const { onWarning, correlationId, retries = {}, rateLimit, mayWrite } = options;
  const chosen: (Layer | undefined)[] = [
    ...layers,
    observer && withMetrics({ observer, clock, host }),
    onWarning && withWarnings({ onWarning }),
    correlationId && withCorrelation(correlationId),
    retries === false
      ? undefined
      : withRetries({
          ...retries,
          clock,
          random,
          onRetry: ({ method }, { status }) =>
            observer?.requestRetriesTotal({ code: String(status), verb: method, host }),
        }),
    rateLimit &&
      withRateLimit({
        ...rateLimit,
        clock,
        onWait: ({ method }, ms) => observer?.rateLimiterDurationSeconds({ verb: method, host }, ms / 1000),
      }),
    observer && withAttemptMetrics({ observer, host }),
    // Innermost: nothing that waits may come after it.
    mayWrite && withFence(mayWrite),
  ];
  return layered(
    transport,
    chosen.filter((layer) => layer !== undefined),
  );
}
