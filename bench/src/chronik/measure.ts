// Measures operators that run at the same time on one control plane. They take turns: while one of them works, the others are idle.

import type { BenchContext } from "../harness/interruptible.ts";
import { median } from "../harness/measure.ts";
import { mb } from "../operators/phase.ts";
import { orderOfRounds } from "../peers/order.ts";
import { pause } from "../peers/time.ts";
import { ownRequests, type RequestCounts } from "../operators/audit-log.ts";
import { Fleet, type Measured, quietMs } from "./fleet.ts";

/** Clusters that are created one after another to measure one creation. The one before them warms up the server. */
const singles = 5;

/** Number of clusters at which memory is read, in addition to that of the options. */
const smallFleet = 51;

/** Time for an operator to become idle and to release memory, which ours does at most once a minute. */
const settleMs = 75_000;

/** Readings of the memory at rest: for a minute, in which each cluster of ours is reconciled once. */
const readings = { count: 12, everyMs: 5_000 };

/** Measured numbers of one operator. */
export interface SubjectNumbers {
  readonly name: string;
  readonly version: string;
  readonly clusters: number;
  /** Creations of single clusters, until they run. */
  readonly creations: readonly Creation[];
  /** Reconciles of unchanged clusters. */
  readonly unchanged: { readonly reconciles: number; readonly requests: RequestCounts };
  /** Creations of many clusters at once. */
  readonly growths: readonly Growth[];
  /** Memory at rest, by number of clusters. */
  readonly memory: readonly Memory[];
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
  readonly cpuSeconds: number;
  /** Requests until the cluster runs. */
  readonly requests: RequestCounts;
  /** Requests until the operator is quiet. */
  readonly settled: RequestCounts;
}

/** The creation of many clusters at once. */
export interface Growth {
  readonly created: number;
  readonly seconds: number;
  /** CPU time of the operator until it is quiet. */
  readonly cpuSeconds: number;
}

/** Memory at rest. */
export interface Memory {
  readonly clusters: number;
  /** Median of the readings. */
  readonly rssBytes: number;
  readonly maxRssBytes: number;
}

/** Options of {@link measure}. */
export interface MeasureOptions {
  /** Number of clusters of each operator in the end. */
  readonly count: number;
  /** Duration of the idle measurement. */
  readonly idleMs: number;
}

/** Measures running operators. */
export async function measure(
  subjects: readonly Measured[],
  options: MeasureOptions,
  context: BenchContext,
): Promise<SubjectNumbers[]> {
  const { signal } = context;
  const bench = subjects.map((measured) => new SubjectBench(measured, context));
  await pause(quietMs, signal);
  for (const one of bench) await one.warmUp();
  const names = bench.map(({ name }) => name);
  const turns = orderOfRounds(names, singles).map((order) =>
    order.flatMap((name) => bench.filter((one) => one.name === name)),
  );
  for (const turn of turns) for (const one of turn) await one.createOne();
  for (const one of bench) await one.reconcileUnchanged();
  const sizes = [smallFleet, options.count].filter((size, index) => index === 1 || size < options.count);
  for (const size of sizes) {
    for (const one of bench) await one.growTo(size);
    await pause(settleMs, signal);
    for (const one of bench) one.releaseMemory();
    for (let reading = 0; reading < readings.count; reading += 1) {
      await pause(readings.everyMs, signal);
      for (const one of bench) one.readMemory();
    }
    for (const one of bench) one.noteMemory();
  }
  const ends = [];
  for (const one of bench) ends.push(await one.beginIdle());
  await pause(options.idleMs, signal);
  const numbers: SubjectNumbers[] = [];
  for (const end of ends) numbers.push(await end());
  return numbers;
}

/** The measurements of one operator. */
class SubjectBench {
  readonly name: string;
  readonly #measured: Measured;
  readonly #fleet: Fleet;
  readonly #report: BenchContext["report"];
  readonly #creations: Creation[] = [];
  readonly #growths: Growth[] = [];
  readonly #memory: Memory[] = [];
  #unchanged: SubjectNumbers["unchanged"] | undefined;
  #readings: number[] = [];

  constructor(measured: Measured, { signal, report }: BenchContext) {
    this.name = measured.subject.name;
    this.#measured = measured;
    this.#fleet = new Fleet(measured, signal);
    this.#report = (text) => report(`${this.name}: ${text}`);
  }

  async warmUp(): Promise<void> {
    await this.#fleet.create();
    await this.#fleet.untilQuiet();
  }

  async createOne(): Promise<void> {
    const { audit } = this.#measured;
    const [mark, cpu] = [audit.mark(), this.#cpuSeconds()];
    const seconds = await this.#fleet.create();
    const requests = audit.since(mark);
    await this.#fleet.untilQuiet();
    this.#creations.push({ seconds, cpuSeconds: this.#cpuSeconds() - cpu, requests, settled: audit.since(mark) });
    this.#report(`created a cluster in ${seconds.toFixed(2)} s, ${ownRequests(requests)} requests`);
  }

  async reconcileUnchanged(): Promise<void> {
    const { audit } = this.#measured;
    const [mark, before] = [audit.mark(), await this.#fleet.reconciles()];
    await this.#fleet.trigger();
    await this.#fleet.untilQuiet();
    const reconciles = (await this.#fleet.reconciles()) - before;
    this.#unchanged = { reconciles, requests: audit.since(mark) };
    this.#report(`${reconciles} reconciles of unchanged clusters`);
  }

  async growTo(clusters: number): Promise<void> {
    const created = clusters - this.#fleet.size;
    if (created <= 0) return;
    const cpu = this.#cpuSeconds();
    const seconds = await this.#fleet.growTo(clusters);
    await this.#fleet.untilQuiet();
    const cpuSeconds = this.#cpuSeconds() - cpu;
    this.#growths.push({ created, seconds, cpuSeconds });
    this.#report(`${clusters} clusters after ${seconds.toFixed(0)} s and ${cpuSeconds.toFixed(1)} s of CPU time`);
  }

  releaseMemory(): void {
    this.#measured.running.releaseMemory();
  }

  readMemory(): void {
    this.#readings.push(this.#measured.running.usage().rssBytes);
  }

  noteMemory(): void {
    const [rssBytes, maxRssBytes] = [median(this.#readings), Math.max(...this.#readings)];
    this.#readings = [];
    this.#memory.push({ clusters: this.#fleet.size, rssBytes, maxRssBytes });
    this.#report(`${mb(rssBytes)} at rest with ${this.#fleet.size} clusters, at most ${mb(maxRssBytes)}`);
  }

  /** Begins the idle measurement. The returned function ends it and returns all numbers. */
  async beginIdle(): Promise<() => Promise<SubjectNumbers>> {
    const { audit, running, version } = this.#measured;
    const before = { mark: audit.mark(), cpu: this.#cpuSeconds(), reconciles: await this.#fleet.reconciles() };
    const begun = performance.now();
    return async () => {
      const seconds = (performance.now() - begun) / 1_000;
      const cpuSeconds = this.#cpuSeconds() - before.cpu;
      const requests = audit.since(before.mark);
      const reconciles = (await this.#fleet.reconciles()) - before.reconciles;
      return {
        name: this.name,
        version,
        clusters: this.#fleet.size,
        creations: this.#creations,
        unchanged: this.#unchanged ?? { reconciles: 0, requests },
        growths: this.#growths,
        memory: this.#memory,
        peakRssBytes: running.usage().peakRssBytes,
        idle: { seconds, cpuSeconds, reconciles, requests },
      };
    };
  }

  #cpuSeconds(): number {
    return this.#measured.running.usage().cpuSeconds;
  }
}
