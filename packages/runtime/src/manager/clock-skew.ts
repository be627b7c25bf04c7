import type { ServerClock } from "@homeostat/client";
import type { Logger } from "../log/logger.ts";
import { Gauge } from "../metrics/gauge.ts";
import type { Registry } from "../metrics/registry.ts";

/** Smallest difference that is reported, in milliseconds. Certificates, tokens and timeouts of other components tolerate smaller ones. */
const skewMsMax = 30_000;

/** Logs once when the local clock differs from the API server's by more than 30 seconds, and again only after they have agreed. */
export class SkewReporter {
  readonly #log: Logger;
  #isSkewed = false;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Receives the current offset: the API server's time of day minus the local one. */
  report(offsetMs: number): void {
    const isSkewed = Math.abs(offsetMs) > (this.#isSkewed ? skewMsMax / 2 : skewMsMax);
    if (isSkewed === this.#isSkewed) return;
    this.#isSkewed = isSkewed;
    const offsetSeconds = Math.round(offsetMs / 1_000);
    if (!isSkewed) {
      this.#log.info("Local clock agrees with the API server's clock again", { offsetSeconds });
      return;
    }
    this.#log.warn("Local clock differs from the API server's clock, check time synchronization", {
      offsetSeconds,
      localClock: offsetMs > 0 ? "behind" : "ahead",
    });
  }
}

/** Exports the difference between the two clocks. The value is NaN before the first response of the API server. */
export function registerClockOffset(registry: Registry, serverClock: Pick<ServerClock, "offsetMs">): void {
  const gauge = new Gauge({
    name: "homeostat_api_server_clock_offset_seconds",
    help: "Time of day of the API server minus that of this process, estimated from response headers.",
  });
  gauge.read((set) => {
    const { offsetMs = Number.NaN } = serverClock;
    set(offsetMs / 1_000);
  });
  registry.register(gauge);
}
