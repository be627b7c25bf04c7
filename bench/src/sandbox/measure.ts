import type { BenchContext } from "../harness/interruptible.ts";
import { median } from "../harness/measure.ts";
import type { RequestCounts } from "../operators/audit-log.ts";
import { mb } from "../operators/phase.ts";
import { pause, until } from "../peers/time.ts";
import type { CreationTimes, Fleet, Work } from "./fleet.ts";
import { workOf } from "./work-requests.ts";

/** Sandboxes that are created one after another to measure one creation. The one before them warms up the server. */
const singles = 5;

/** Time for the operator to become idle and to release memory, which it does at most once a minute. */
const settleMs = 75_000;

/** Readings of the memory at rest. */
const readings = { count: 12, everyMs: 5_000 };

/** Restarts. The load of the machine only adds to their times, so the fastest one counts. */
const restarts = 3;

/** Time limit of a restart. */
const restartMs = 120_000;

/** The creation of one sandbox. */
export interface Creation extends CreationTimes {
  /** Sandboxes that existed before. */
  readonly existing: number;
  readonly cpuSeconds: number;
  /** Requests until the operator is quiet. */
  readonly requests: RequestCounts;
  /** Reconciles of all sandboxes. */
  readonly reconciles: number;
}

/** Memory at rest. */
export interface Memory {
  /** Median of the readings. */
  readonly rssBytes: number;
  readonly maxRssBytes: number;
}

/** A restart of the operator. */
export interface Restart {
  /** From the start of the process until it leads with full caches. */
  readonly leadingSeconds: number;
  /** Until every sandbox is reconciled. */
  readonly reconciledSeconds: number;
  /** CPU time until then. */
  readonly cpuSeconds: number;
}

/** Restarts of the operator, one after another. */
export interface Restarts {
  readonly rounds: readonly Restart[];
  /** Requests of all rounds. */
  readonly requests: RequestCounts;
  /** True if no object of the operator has another version than before. */
  readonly isUnchanged: boolean;
  /** Memory at rest of the last process. */
  readonly memory: Memory;
}

/** Measured numbers of the operator. */
export interface OperatorNumbers {
  readonly sandboxes: number;
  readonly namespaces: number;
  readonly podReadySeconds: number;
  readonly creations: readonly Creation[];
  /** Reconciles of unchanged sandboxes. */
  readonly unchanged: Work;
  /** The creation of most sandboxes at once. */
  readonly growth: { readonly created: number; readonly seconds: number } & Work;
  /** A new image of one sandbox, with all sandboxes. */
  readonly change: Work;
  readonly memory: Memory;
  readonly peakRssBytes: number;
  readonly idle: { readonly seconds: number } & Work;
  readonly restarts: Restarts;
}

/** Options of {@link measure}. */
export interface MeasureOptions {
  readonly count: number;
  readonly namespaces: number;
  readonly idleMs: number;
  readonly podReadyMs: number;
  /** Sets the time after which new pods are ready. */
  delayPods(this: void, ms: number): void;
  /** Ends the operator and starts it again. Resolves when it leads. */
  restart(this: void): Promise<void>;
}

/** Measures the operator. */
export async function measure(
  fleet: Fleet,
  options: MeasureOptions,
  { signal, report }: BenchContext,
): Promise<OperatorNumbers> {
  const { count, idleMs, podReadyMs, delayPods } = options;
  await pause(3_000, signal);
  await fleet.create();
  await fleet.untilQuiet();
  const creations: Creation[] = [];
  const createSome = async (): Promise<void> => {
    delayPods(podReadyMs);
    for (let n = 0; n < singles; n += 1) creations.push(await createOne(fleet, report));
    delayPods(0);
  };
  await createSome();

  const created = count - singles - fleet.size;
  let seconds = 0;
  const grown = await fleet.count(async () => {
    seconds = await fleet.growTo(count - singles);
  });
  report(`${fleet.size} sandboxes after ${seconds.toFixed(0)} s and ${grown.cpuSeconds.toFixed(1)} s of CPU time`);
  await createSome();

  const change = await fleet.count(() => fleet.changeOne(0));
  report(`changed one sandbox: ${workOf(change.requests)} requests, ${change.reconciles} reconciles`);
  const unchanged = await fleet.count(() => fleet.trigger());
  report(`${unchanged.reconciles} reconciles without a change: ${JSON.stringify(unchanged.requests.byKind)}`);
  const memory = await readMemory(fleet, signal);
  report(`${mb(memory.rssBytes)} at rest, at most ${mb(memory.maxRssBytes)}`);
  const idle = await fleet.count(() => pause(idleMs, signal));
  report(`${((idle.cpuSeconds / idleMs) * 1e5).toFixed(2)} % of a core at rest`);
  const { peakRssBytes } = fleet.usage();
  const restarted = await restartOperator(fleet, options, { signal, report });
  return {
    sandboxes: count,
    namespaces: options.namespaces,
    podReadySeconds: podReadyMs / 1_000,
    creations,
    unchanged,
    growth: { created, seconds, ...grown },
    change,
    memory,
    peakRssBytes,
    idle: { seconds: idleMs / 1_000, ...idle },
    restarts: restarted,
  };
}

async function createOne(fleet: Fleet, report: BenchContext["report"]): Promise<Creation> {
  const existing = fleet.size;
  let times: CreationTimes | undefined;
  const work = await fleet.count(async () => {
    times = await fleet.create();
  });
  if (times === undefined) throw new Error("no sandbox was created");
  const { applied, published, ready } = times;
  report(
    `sandbox ${existing + 1}: fork ${applied.toFixed(2)} s, route ${published.toFixed(2)} s, ready ${ready.toFixed(2)} s, ` +
      `${workOf(work.requests)} requests, ${work.reconciles} reconciles`,
  );
  return { existing, ...times, ...work };
}

async function readMemory(fleet: Fleet, signal: AbortSignal): Promise<Memory> {
  await pause(settleMs, signal);
  const values: number[] = [];
  for (let n = 0; n < readings.count; n += 1) {
    await pause(readings.everyMs, signal);
    values.push(fleet.usage().rssBytes);
  }
  return { rssBytes: median(values), maxRssBytes: Math.max(...values) };
}

async function restartOperator(
  fleet: Fleet,
  { restart }: MeasureOptions,
  { signal, report }: BenchContext,
): Promise<Restarts> {
  const [mark, versions] = [fleet.audit.mark(), await fleet.versions()];
  const rounds: Restart[] = [];
  for (let round = 0; round < restarts; round += 1) {
    const begun = performance.now();
    const since = (): number => (performance.now() - begun) / 1_000;
    await restart();
    const leadingSeconds = since();
    const isReconciled = async (): Promise<boolean> => (await fleet.reconciles()) >= fleet.size;
    await until(isReconciled, { everyMs: 100, timeoutMs: restartMs, signal, what: "the reconciles after a restart" });
    const [reconciledSeconds, { cpuSeconds }] = [since(), fleet.usage()];
    rounds.push({ leadingSeconds, reconciledSeconds, cpuSeconds });
    report(
      `restarted: leads after ${leadingSeconds.toFixed(1)} s, reconciled after ${reconciledSeconds.toFixed(1)} s, ` +
        `${cpuSeconds.toFixed(1)} s of CPU time`,
    );
    await fleet.untilQuiet();
  }
  const memory = await readMemory(fleet, signal);
  report(`${mb(memory.rssBytes)} at rest after the restart`);
  const requests = fleet.audit.since(mark);
  return { rounds, requests, isUnchanged: (await fleet.versions()) === versions, memory };
}
