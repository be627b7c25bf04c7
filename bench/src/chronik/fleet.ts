import type { AuditLog } from "../operators/audit-log.ts";
import { forAll } from "../operators/lanes.ts";
import { countReconciles, fetchText } from "../operators/metrics-page.ts";
import type { ProgramProcess } from "../operators/program-process.ts";
import type { RawApi } from "../peers/raw-api.ts";
import { pause, until } from "../peers/time.ts";
import { clusterName } from "./members.ts";
import type { Subject } from "./subjects.ts";

/** The operator is quiet when it has sent no request for this time. */
export const quietMs = 3_000;

/** A running operator and the parts that a measurement works with. */
export interface Measured {
  readonly subject: Subject;
  readonly version: string;
  readonly running: ProgramProcess;
  readonly api: RawApi;
  /** Requests of this operator. */
  readonly audit: AuditLog;
  readonly metricsPort: number;
}

/** The clusters of one operator. */
export class Fleet {
  readonly measured: Measured;
  readonly #signal: AbortSignal;
  size = 0;

  constructor(measured: Measured, signal: AbortSignal) {
    this.measured = measured;
    this.#signal = signal;
  }

  /** Creates a cluster. Returns the seconds until it runs. */
  async create(): Promise<number> {
    const { api, subject } = this.measured;
    const index = this.size;
    this.size += 1;
    const begun = performance.now();
    await this.#post(index);
    const path = `${subject.path}/${clusterName(index)}`;
    const isRunning = async (): Promise<boolean> => {
      const { text } = await api.must({ path }, this.#signal);
      return subject.isRunning(JSON.parse(text));
    };
    await until(isRunning, { everyMs: 25, timeoutMs: 300_000, signal: this.#signal, what: `the start of ${path}` });
    return (performance.now() - begun) / 1_000;
  }

  /** Creates clusters at once. Returns the seconds until all of them run. */
  async growTo(count: number): Promise<number> {
    const { api, subject } = this.measured;
    const first = this.size;
    this.size = count;
    const begun = performance.now();
    await forAll(count - first, (index) => this.#post(first + index));
    const allRun = async (): Promise<boolean> => {
      const { text } = await api.must({ path: `${subject.path}?resourceVersion=0` }, this.#signal);
      const { items } = JSON.parse(text) as { items: readonly unknown[] };
      return items.length >= count && items.every((cluster) => subject.isRunning(cluster));
    };
    const limits = { everyMs: 1_000, timeoutMs: 3_600_000, signal: this.#signal };
    await until(allRun, { ...limits, what: `the start of ${count} clusters` });
    return (performance.now() - begun) / 1_000;
  }

  /** Triggers a reconcile of every cluster. */
  async trigger(): Promise<void> {
    const { api, subject } = this.measured;
    const body = JSON.stringify({ metadata: { annotations: { [subject.trigger]: "again" } } });
    await forAll(this.size, async (index) => {
      await api.must({ method: "PATCH", path: `${subject.path}/${clusterName(index)}`, body }, this.#signal);
    });
  }

  /** Waits until the operator sends no requests. */
  async untilQuiet(): Promise<void> {
    const { audit } = this.measured;
    for (let round = 0, mark = audit.mark(); round < 600; round += 1) {
      await pause(quietMs, this.#signal);
      const { byKind } = audit.since(mark);
      if (Object.keys(byKind).length === 0) return;
      mark = audit.mark();
    }
  }

  /** Returns the number of reconciles so far. */
  async reconciles(): Promise<number> {
    return countReconciles(await fetchText(this.measured.metricsPort, "/metrics"));
  }

  async #post(index: number): Promise<void> {
    const { api, subject } = this.measured;
    await api.must({ method: "POST", path: subject.path, body: subject.bodyOf(clusterName(index)) }, this.#signal);
  }
}
