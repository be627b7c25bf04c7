import { type Clock, parseHttpDate, type Timer, type TimeoutSignal } from "@homeostat/core";
import type { Layer, Request, Response, Transport } from "./transport.ts";

/** A sample of the API server's time from one response. */
export interface DateSample {
  /** The `Date` header, in milliseconds since 1970. */
  readonly date: number;
  /** Local monotonic time before the request was sent. */
  readonly sentAt: number;
  /** Local monotonic time when the head of the response had arrived. */
  readonly receivedAt: number;
}

/** Options of a {@link ServerClock}. */
export interface ServerClockOptions {
  /** The local clock. */
  readonly clock: Clock;
  /** Called after each sample that was used, with the API server's time of day minus the local one. Must not throw. */
  readonly onOffset?: (offsetMs: number) => void;
}

/** The `Date` header counts whole seconds. */
const headerPrecisionMs = 1_000;
/** Replicas of the API server and proxies that cache the header differ by about this much. */
const slackMs = 100;
/** Two monotonic clocks drift apart by at most this much per millisecond: 200 ppm. */
const driftRate = 0.0002;
/** Samples with a longer round trip are discarded as too imprecise. */
const roundTripMsMax = 10_000;
/** The first responses are all sampled, later ones at this interval. */
const initialSamples = 8;
const sampleEveryMs = 10_000;
/** This many samples in a row that contradict the estimate and confirm each other replace it. */
const contradictionsMax = 3;
/** If the local clock is set by more than this, the next response is sampled. */
const stepMsMin = 1_000;

/** The possible values of "server time of day minus local monotonic time". */
interface Bounds {
  readonly low: number;
  readonly high: number;
}

/**
 * The clock of the API server, estimated from the `Date` header of its responses.
 *
 * `now()` is the estimated time of day of the API server. Monotonic time and timers are those of the local clock. Compare
 * `creationTimestamp` and other times of API objects with `now()` of this clock, and write times into objects with it: these then
 * mean the same to every replica of a controller, whatever its local clock says.
 *
 * The header was written between sending the request and receiving the response, so each sample bounds the difference between the
 * server's time of day and the local monotonic clock. The estimate is the middle of the intersection of all samples: never off
 * by more than 0.6 s plus half the shortest round trip, and by less after more samples. If the local time of day is within the
 * bounds, it is used unchanged: both clocks agree as far as can be measured, and the local one has milliseconds. `errorMs` is the
 * maximum error at the moment.
 *
 * Steps of the local clock have no effect, because the estimate is tied to the monotonic clock. When the API server's clock is set,
 * or the machine was suspended and the monotonic clock stood still, samples contradict the estimate. The first of them replaces
 * it if the local time of day confirms it, otherwise the third in a row: a single wrong header changes nothing.
 *
 * Before the first sample `now()` is the local time of day.
 */
export class ServerClock implements Clock {
  readonly #clock: Clock;
  readonly #onOffset: ((offsetMs: number) => void) | undefined;
  #bounds: Bounds | undefined;
  /** Server time of day minus monotonic time: the estimate. */
  #difference = 0;
  /** The local time of day minus monotonic time when the latest sample was taken. */
  #localDifference = 0;
  #sampledAt = 0;
  #samples = 0;
  #contradiction: (Bounds & { readonly count: number }) | undefined;

  constructor({ clock, onOffset }: ServerClockOptions) {
    this.#clock = clock;
    this.#onOffset = onOffset;
  }

  now(): number {
    if (this.#bounds === undefined) return this.#clock.now();
    return Math.round(this.#clock.monotonic() + this.#difference);
  }

  monotonic(): number {
    return this.#clock.monotonic();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.#clock.sleep(ms, signal);
  }

  timeout(ms: number): TimeoutSignal {
    return this.#clock.timeout(ms);
  }

  schedule(ms: number, run: () => void): Timer {
    return this.#clock.schedule(ms, run);
  }

  /** The API server's time of day minus the local one, in milliseconds; undefined before the first sample. */
  get offsetMs(): number | undefined {
    return this.#bounds === undefined ? undefined : this.now() - this.#clock.now();
  }

  /** The maximum error of {@link now}, in milliseconds; undefined before the first sample. */
  get errorMs(): number | undefined {
    if (this.#bounds === undefined) return undefined;
    const { low, high } = this.#bounds;
    return Math.max(high - this.#difference, this.#difference - low) + this.#driftMs(this.#clock.monotonic());
  }

  /** True if the `Date` header of the next response should be read. Parsing the headers of every response would cost too much. */
  get wantsSample(): boolean {
    if (this.#samples < initialSamples || this.#contradiction !== undefined) return true;
    const monotonic = this.#clock.monotonic();
    const localStepMs = Math.abs(this.#clock.now() - monotonic - this.#localDifference);
    return monotonic - this.#sampledAt >= sampleEveryMs || localStepMs >= stepMsMin;
  }

  /** Updates the estimate with a sample. */
  sample({ date, sentAt, receivedAt }: DateSample): void {
    if (receivedAt - sentAt > roundTripMsMax) return;
    const sampled = { low: date - receivedAt - slackMs, high: date + headerPrecisionMs - sentAt + slackMs };
    const driftMs = this.#driftMs(receivedAt);
    this.#localDifference = this.#clock.now() - this.#clock.monotonic();
    this.#sampledAt = receivedAt;
    this.#samples += 1;
    const bounds = this.#combine(sampled, driftMs);
    if (bounds === undefined) return;
    this.#bounds = bounds;
    this.#contradiction = undefined;
    this.#difference = contains(bounds, this.#localDifference) ? this.#localDifference : (bounds.low + bounds.high) / 2;
    this.#onOffset?.(this.#difference - this.#localDifference);
  }

  /** Returns the new bounds; undefined if the sample contradicts the estimate and is not confirmed yet. */
  #combine(sampled: Bounds, driftMs: number): Bounds | undefined {
    if (this.#bounds === undefined) return sampled;
    const { low, high } = this.#bounds;
    const combined = intersection({ low: low - driftMs, high: high + driftMs }, sampled);
    if (combined !== undefined) return combined;
    if (contains(sampled, this.#localDifference)) return sampled;
    const before = this.#contradiction;
    const confirmed = before === undefined ? undefined : intersection(before, sampled);
    const count = before === undefined || confirmed === undefined ? 1 : before.count + 1;
    this.#bounds = { low: low - driftMs, high: high + driftMs };
    this.#contradiction = { ...(confirmed ?? sampled), count };
    return count >= contradictionsMax ? (confirmed ?? sampled) : undefined;
  }

  #driftMs(monotonic: number): number {
    return (monotonic - this.#sampledAt) * driftRate;
  }
}

function intersection(a: Bounds, b: Bounds): Bounds | undefined {
  const low = Math.max(a.low, b.low);
  const high = Math.min(a.high, b.high);
  return low <= high ? { low, high } : undefined;
}

function contains({ low, high }: Bounds, value: number): boolean {
  return low <= value && value <= high;
}

/**
 * Returns a layer that takes samples for a {@link ServerClock}. It must be the innermost layer: retries and rate limits would count
 * as round-trip time.
 *
 * Responses with a status of 500 and above are not sampled, because a proxy with its own clock may have sent them.
 */
export function withServerClock(serverClock: ServerClock): Layer {
  return (next: Transport) => ({
    send(request: Request): Promise<Response> {
      return serverClock.wantsSample ? sampled(next, request, serverClock) : next.send(request);
    },
  });
}

async function sampled(next: Transport, request: Request, serverClock: ServerClock): Promise<Response> {
  const sentAt = serverClock.monotonic();
  const response = await next.send(request);
  const receivedAt = serverClock.monotonic();
  const text = response.status < 500 ? response.headers["date"] : undefined;
  const date = text === undefined ? undefined : parseHttpDate(text, serverClock.now());
  if (date !== undefined) serverClock.sample({ date, sentAt, receivedAt });
  return response;
}
