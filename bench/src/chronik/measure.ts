import { request } from "node:http";
import type { BenchContext } from "../harness/interruptible.ts";
import { forAll } from "../operators/lanes.ts";
import { mb } from "../operators/phase.ts";
import type { RawApi } from "../peers/raw-api.ts";
import { pause, until } from "../peers/time.ts";
import { type AuditLog, ownRequests, type RequestCounts } from "./audit-log.ts";
import { clusterName } from "./members.ts";
import type { RunningSubject, Subject } from "./subjects.ts";

/** Clusters that are created one after another to measure one creation. The one before them warms up the server. */
const singles = 5;

/** Number of clusters at which memory is read, in addition to that of the options. */
const smallFleet = 51;

/** The operator is quiet when it has sent no request for this time. */
const quietMs = 3_000;

/** Time for an operator to become idle and to release memory, which ours does at most once a minute. */
const settleMs = 75_000;

/** Measured numbers of one operator. */
export interface SubjectNumbers {
  readonly name: string;
  readonly version: string;
  readonly clusters: number;
  /** Creations of single clusters, until they run. */
  readonly creations: readonly Creation[];
  /** Reconciles of unchanged clusters. */
  readonly unchanged: { readonly reconciles: number; readonly requests: RequestCounts };
  /** Memory at rest, by number of clusters. */
  readonly memory: readonly { readonly clusters: number; readonly rssBytes: number }[];
  readonly peakRssBytes: number;
  readonly idle: {
    readonly seconds: number;
    readonly cpuSeconds: number;
    readonly reconciles: number;
    readonly requests: RequestCounts;
  };
}

/** The creation of one cluster. */
export interface Creation {
  readonly seconds: number;
  /** Requests until the cluster runs. */
  readonly requests: RequestCounts;
  /** Requests until the operator is quiet. */
  readonly settled: RequestCounts;
}

/** Parts that a measurement works with. */
export interface Measured {
  readonly subject: Subject;
  readonly version: string;
  readonly running: RunningSubject;
  readonly api: RawApi;
  readonly audit: AuditLog;
  readonly metricsPort: number;
}

/** Measures a running operator. */
export async function measure(
  measured: Measured,
  options: { readonly count: number; readonly idleMs: number },
  context: BenchContext,
): Promise<SubjectNumbers> {
  const { subject, version, running, audit } = measured;
  const { signal, report } = context;
  const fleet = new Fleet(measured, signal);

  await pause(quietMs, signal);
  const memory: { clusters: number; rssBytes: number }[] = [];
  await fleet.create();
  await fleet.untilQuiet();
  const creations: Creation[] = [];
  for (let single = 0; single < singles; single += 1) {
    const mark = audit.mark();
    const seconds = await fleet.create();
    const requests = audit.since(mark);
    await fleet.untilQuiet();
    creations.push({ seconds, requests, settled: audit.since(mark) });
    report(`${subject.name}: created a cluster in ${seconds.toFixed(2)} s, ${ownRequests(requests)} requests`);
  }

  const [mark, reconciles] = [audit.mark(), await fleet.reconciles()];
  await fleet.trigger();
  await fleet.untilQuiet();
  const unchanged = { reconciles: (await fleet.reconciles()) - reconciles, requests: audit.since(mark) };
  report(`${subject.name}: ${unchanged.reconciles} reconciles of unchanged clusters`);

  for (const clusters of [smallFleet, options.count]) {
    if (clusters <= fleet.size || clusters > options.count) continue;
    const seconds = await fleet.growTo(clusters);
    report(`${subject.name}: ${clusters} clusters after ${seconds.toFixed(0)} s`);
    await fleet.untilQuiet();
    const rssBytes = await restingMemory(measured, signal);
    memory.push({ clusters, rssBytes });
    report(`${subject.name}: ${mb(rssBytes)} at rest with ${clusters} clusters`);
  }

  const before = { mark: audit.mark(), cpu: running.usage().cpuSeconds, reconciles: await fleet.reconciles() };
  const begun = performance.now();
  await pause(options.idleMs, signal);
  const idle = {
    seconds: (performance.now() - begun) / 1_000,
    cpuSeconds: running.usage().cpuSeconds - before.cpu,
    reconciles: (await fleet.reconciles()) - before.reconciles,
    requests: audit.since(before.mark),
  };
  const { peakRssBytes } = running.usage();
  return { name: subject.name, version, clusters: fleet.size, creations, unchanged, memory, peakRssBytes, idle };
}

async function restingMemory({ running }: Measured, signal: AbortSignal): Promise<number> {
  await pause(settleMs, signal);
  running.releaseMemory();
  await pause(2_000, signal);
  return running.usage().rssBytes;
}

/** The clusters of an operator. */
class Fleet {
  readonly #measured: Measured;
  readonly #signal: AbortSignal;
  size = 0;

  constructor(measured: Measured, signal: AbortSignal) {
    this.#measured = measured;
    this.#signal = signal;
  }

  /** Creates a cluster. Returns the seconds until it runs. */
  async create(): Promise<number> {
    const { api, subject } = this.#measured;
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
    const { api, subject } = this.#measured;
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
    const { api, subject } = this.#measured;
    const body = JSON.stringify({ metadata: { annotations: { [subject.trigger]: "again" } } });
    await forAll(this.size, async (index) => {
      await api.must({ method: "PATCH", path: `${subject.path}/${clusterName(index)}`, body }, this.#signal);
    });
  }

  /** Waits until the operator sends no requests. */
  async untilQuiet(): Promise<void> {
    const { audit } = this.#measured;
    for (let round = 0, mark = audit.mark(); round < 600; round += 1) {
      await pause(quietMs, this.#signal);
      const { byKind } = audit.since(mark);
      if (Object.keys(byKind).length === 0) return;
      mark = audit.mark();
    }
  }

  /** Returns the number of reconciles so far. */
  async reconciles(): Promise<number> {
    const page = await fetchText(this.#measured.metricsPort, "/metrics");
    return countReconciles(page);
  }

  async #post(index: number): Promise<void> {
    const { api, subject } = this.#measured;
    await api.must({ method: "POST", path: subject.path, body: subject.bodyOf(clusterName(index)) }, this.#signal);
  }
}

/** Returns the number of reconciles in the text of a metrics page. Both operators use the name that controller-runtime gave it. */
export function countReconciles(page: string): number {
  const samples = [...page.matchAll(/^controller_runtime_reconcile_total\{[^}]*\} (\S+)$/gm)];
  if (samples.length === 0) throw new Error("the metrics contain no number of reconciles");
  return samples.reduce((sum, [, value]) => sum + Number(value), 0);
}

async function fetchText(port: number, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path, timeout: 30_000 }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (piece: string) => (text += piece));
      response.on("end", () => resolve(text));
      response.on("error", reject);
    });
    sent.on("error", reject);
    sent.end();
  });
}
