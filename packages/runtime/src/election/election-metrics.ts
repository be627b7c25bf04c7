import { Counter } from "../metrics/counter.ts";
import { Gauge } from "../metrics/gauge.ts";
import type { Registry } from "../metrics/registry.ts";
import type { ElectionMeter } from "./options.ts";

/** The leader election metrics of client-go, with the same names. Create one instance per registry. */
export class ElectionMetrics {
  readonly #status = new Gauge({
    name: "leader_election_master_status",
    help: "1 if this process is the leader, 0 if it is on standby, by election.",
    labels: ["name"],
  });
  readonly #slowPath = new Counter({
    name: "leader_election_slowpath_total",
    help: "Renewals that had to read the Lease first because it had changed.",
    labels: ["name"],
  });

  constructor(registry: Registry) {
    registry.register(this.#status);
    registry.register(this.#slowPath);
  }

  /** Returns the meter of an election. Both of its series exist from now on, with the value zero. */
  meter(name: string): ElectionMeter {
    const status = this.#status.with({ name });
    const slowPath = this.#slowPath.with({ name });
    return { leading: (isLeading) => status.set(isLeading ? 1 : 0), slowPath: () => slowPath.inc() };
  }
}
