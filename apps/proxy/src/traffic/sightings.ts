import type { Clock } from "@homeostat/core";
import type { Destination, IncomingRequest } from "@homeostat/proxy";
import { type Decision, readTraceparent, reportItemsMax, type Sighting } from "@homeostat/routing";

export interface SightingsOptions {
  readonly clock: Pick<Clock, "monotonic">;
  /** Share of the traces that are reported, from 0 to 100. */
  readonly percent: () => number;
}

interface Seen extends Omit<Sighting, "agoMs"> {
  readonly at: number;
}

/**
 * A sample of the requests with a trace ID, for the search for services that lose the routing key.
 *
 * The ID decides whether a trace belongs to the sample, so that all proxies report the same traces. Beyond the limit of one report the rest is
 * dropped: the sample is of use without it.
 */
export class Sightings {
  readonly #options: SightingsOptions;
  #seen = new Map<string, Seen>();

  constructor(options: SightingsOptions) {
    this.#options = options;
  }

  see({ headers, clientAddress }: IncomingRequest, { key }: Decision, { namespace, service }: Destination): void {
    const { clock, percent } = this.#options;
    const share = percent();
    if (share === 0 || this.#seen.size >= reportItemsMax) return;
    const value = headers.get("traceparent");
    // Most traces are not in the sample; they cost no further check.
    if (typeof value !== "string" || !isSampled(value, share)) return;
    const traceId = readTraceparent(headers)?.traceId;
    if (traceId === undefined) return;
    const id = `${namespace}/${service}/${traceId}/${key?.key ?? ""}`;
    if (this.#seen.has(id)) return;
    const client = clientAddress?.replace(/^::ffff:(?=\d+\.)/i, "");
    this.#seen.set(id, { namespace, service, traceId, key: key?.key, client, at: clock.monotonic() });
  }

  /** Returns what to report, and forgets it. */
  take(): readonly Sighting[] {
    const now = this.#options.clock.monotonic();
    const seen = this.#seen;
    this.#seen = new Map();
    return [...seen.values()].map(({ at, ...each }) => ({ ...each, agoMs: Math.round(now - at) }));
  }
}

/** Decides by the last digits of the trace ID, which are random in all versions of trace contexts. */
function isSampled(traceparent: string, percent: number): boolean {
  return Number.parseInt(traceparent.slice(31, 35), 16) < (percent / 100) * 0x1_0000;
}
