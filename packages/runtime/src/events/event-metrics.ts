import { Counter } from "../metrics/counter.ts";
import type { Registry } from "../metrics/registry.ts";
import type { EventDrop } from "./drop-log.ts";
import type { EventMeter } from "./options.ts";

/** Counters of recorded, sent and dropped events. Create one per registry and pass it to all recorders. */
export class EventMetrics implements EventMeter {
  readonly #recorded = new Counter({
    name: "homeostat_events_recorded_total",
    help: "Recorded events, including repetitions.",
  });
  readonly #sent = new Counter({
    name: "homeostat_events_sent_total",
    help: "Event creations and count updates accepted by the API server.",
  });
  readonly #dropped = new Counter({
    name: "homeostat_events_dropped_total",
    help: "Dropped events and count updates by reason.",
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

  dropped(reason: EventDrop): void {
    this.#dropped.inc({ reason });
  }
}
