import { Counter } from "../metrics/counter.ts";
import type { Registry } from "../metrics/registry.ts";
import type { EventDrop } from "./drop-log.ts";
import type { EventMeter } from "./options.ts";

/** How many events were recorded, sent and dropped. Make one for each registry; it is a meter for all recorders. */
export class EventMetrics implements EventMeter {
  readonly #recorded = new Counter({
    name: "homeostat_events_recorded_total",
    help: "Events that were recorded, repetitions included.",
  });
  readonly #sent = new Counter({
    name: "homeostat_events_sent_total",
    help: "Writes of events and of their counts that reached the server.",
  });
  readonly #dropped = new Counter({
    name: "homeostat_events_dropped_total",
    help: "Events and counts that were dropped, by reason.",
    labels: ["reason"],
  });

  constructor(registry: Registry) {
    registry.register(this.#recorded);
    registry.register(this.#sent);
    registry.register(this.#dropped);
  }

  recorded(): void {
    this.#recorded.inc();
  }

  sent(): void {
    this.#sent.inc();
  }

  dropped(why: EventDrop): void {
    this.#dropped.inc({ reason: why });
  }
}
