import { type Clock, type Random, systemClock, systemRandom } from "@homeostat/core";
import type { Connection } from "../kubeconfig/connection.ts";
import { connect, type ConnectOptions } from "../sockets/connect.ts";
import { marking } from "../transport/correlation.ts";
import { fencing } from "../transport/fence.ts";
import { counting, measuring, type RequestObserver } from "../transport/metrics.ts";
import { Pipeline } from "../transport/pipeline.ts";
import { limiting, type RateLimitOptions } from "../transport/rate-limit.ts";
import { retrying, type RetryOptions } from "../transport/retries.ts";
import { type Layer, layered, type Transport } from "../transport/transport.ts";
import { warning, type WarningOptions } from "../transport/warnings.ts";

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
  const pipeline = new Pipeline(transport, {
    measure: observer && measuring({ observer, clock, host }),
    look: onWarning && warning({ onWarning }),
    mark: correlationId && marking(correlationId),
    again:
      retries === false
        ? undefined
        : retrying({
            ...retries,
            clock,
            random,
            onRetry: ({ method }, { status }) =>
              observer?.requestRetriesTotal({ code: String(status), verb: method, host }),
          }),
    admit:
      rateLimit &&
      limiting({
        ...rateLimit,
        clock,
        onWait: ({ method }, ms) => observer?.rateLimiterDurationSeconds({ verb: method, host }, ms / 1000),
      }),
    attempted: observer && counting({ observer, host }),
    // Innermost: nothing that waits may come after it.
    guard: mayWrite && fencing(mayWrite),
  });
  return layered(pipeline, layers);
}
