import { Counter } from "../metrics/counter.ts";
import { Gauge } from "../metrics/gauge.ts";
import type { Registry } from "../metrics/registry.ts";
import type { ElectionMeter } from "./options.ts";

/** The leader election metrics that client-go exposes, with its names. Make one for each registry. */
export class ElectionMetrics {
  readonly #status = new Gauge({
    name: "leader_election_master_status",
    help: "Whether this process leads (1) or stands by (0), by election.",
    labels: ["name"],
  });
  readonly #slowPath = new Counter({
    name: "leader_election_slowpath_total",
    help: "Renewals that had to read the Lease first, because it had changed.",
    labels: ["name"],
  });

  constructor(registry: Registry) {
    registry.register(this.#status);
    registry.register(this.#slowPath);
  }

  /** What an election of this name counts with. Both series are there from now on, at zero. */
  meter(name: string): ElectionMeter {
    const status = this.#status.with({ name });
    const slowPath = this.#slowPath.with({ name });
    return { leading: (isLeading) => status.set(isLeading ? 1 : 0), slowPath: () => slowPath.inc() };
  }
}
