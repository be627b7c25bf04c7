import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ToolMissingError } from "@homeostat/kube";
import { interruptible, type BenchContext } from "../harness/interruptible.ts";
import { type PeerOptions, readPeerArguments } from "./arguments.ts";
import { build, type Command } from "./builds.ts";
import { RuntimeProcess } from "./runtime-process.ts";
import { type PeerRuntime, runtimeOfCheckout, runtimes } from "./runtimes.ts";
import { summariseHeap } from "./heap-summary.ts";
import type { RunContext } from "./mode.ts";
import { modes } from "./modes/all.ts";
import { orderOfRounds } from "./order.ts";
import { planOf, type Step } from "./plan.ts";
import { Results } from "./results.ts";
import { Server } from "./server.ts";
import { type Sample, summarise } from "./summary.ts";
import { formatTable } from "./table.ts";

/** A runtime that was built and can run. */
interface Ready {
  readonly runtime: PeerRuntime;
  readonly command: Command;
}

/** Runs the comparison with other runtimes and prints a table for each step. */
export async function runPeers(args: readonly string[]): Promise<void> {
  const options = readPeerArguments(args);
  if (process.platform !== "linux")
    throw new Error("This benchmark requires Linux: it reads CPU and memory from /proc.");
  await interruptible((benchContext) => measureAll(options, benchContext));
}

async function measureAll(options: PeerOptions, benchContext: BenchContext): Promise<void> {
  const { report } = benchContext;
  const ready = await buildAll(options, benchContext);
  if (ready.size === 0) throw new Error("No runtime can be built on this machine.");
  await using server = await Server.start(benchContext);
  const { text } = await server.api.must({ path: "/version" });
  const { gitVersion } = JSON.parse(text) as { gitVersion: string };
  const versions = Object.fromEntries([...ready].map(([name, { command }]) => [name, command.version]));
  const results = new Results(options, { kubernetes: gitVersion, versions });
  const plan = planOf(options);
  for (const [i, step] of plan.entries()) {
    report(`step ${i + 1} of ${plan.length}: ${step.mode}, ${step.objects} objects`);
    await server.haveObjects(step.objects);
    if (i === 0 && step.objects > 0)
      report(`${(await server.bytesPerObject()).toFixed(0)} bytes per object on the wire`);
    await new StepRun({ step, options, ready, server, results, ...benchContext }).run();
  }
  report(`Results written to ${results.toString()}`);
}

async function buildAll(options: PeerOptions, benchContext: BenchContext): Promise<Map<string, Ready>> {
  const ready = new Map<string, Ready>();
  const chosen = runtimes.filter(({ name }) => options.runtimes.includes(name));
  if (options.before !== undefined) chosen.push(runtimeOfCheckout(options.before));
  for (const runtime of chosen) {
    try {
      ready.set(runtime.name, { runtime, command: await build(runtime, benchContext) });
    } catch (error) {
      if (!(error instanceof ToolMissingError)) throw error;
      benchContext.report(`${runtime.name} is skipped: ${error.message}`);
    }
  }
  return ready;
}

interface StepParts extends BenchContext {
  readonly step: Step;
  readonly options: PeerOptions;
  readonly ready: ReadonlyMap<string, Ready>;
  readonly server: Server;
  readonly results: Results;
}

/** Runs one step of the plan: all rounds of all runtimes, and prints its table. */
class StepRun {
  readonly #parts: StepParts;
  readonly #samples: Sample[] = [];
  readonly #emptyRss = new Map<string, number>();

  constructor(parts: StepParts) {
    this.#parts = parts;
  }

  async run(): Promise<void> {
    const { step, options, ready, report } = this.#parts;
    const names = [...ready.keys()];
    const mode = modes[step.mode];
    if (step.mode === "sync" && step.objects > 0) await this.#measureEmpty(names);
    for (const [i, round] of orderOfRounds(names, options.rounds).entries()) {
      for (const name of round) await this.#measure(name, i + 1);
    }
    if (options.isProfiled)
      for (const name of names.filter((one) => one.startsWith("homeostat"))) await this.#profile(name);
    console.log(`\n${mode.title({ options, objects: step.objects })}\n`);
    console.log(`${formatTable(mode.columns, summarise(this.#samples, names))}\n`);
    for (const { runtime, round, error } of this.#samples) {
      if (error !== undefined) report(`${runtime}, round ${round}, failed: ${error}`);
    }
  }

  async #measure(name: string, round: number): Promise<void> {
    const { step, options, server, results, report, signal } = this.#parts;
    const mode = modes[step.mode];
    const started = performance.now();
    let sample: Sample;
    try {
      sample = { runtime: name, round, values: await mode.run(this.#context(name, `${round}`)) };
      const shown = mode.columns.flatMap(({ measure, title, digits }) => {
        const value = sample.values[measure];
        return value === undefined ? [] : [`${title} ${value.toFixed(digits)}`];
      });
      report(`${step.mode} ${step.objects} round ${round} ${name}: ${shown.join(", ")}`);
    } catch (error) {
      signal.throwIfAborted();
      sample = { runtime: name, round, values: {}, error: error instanceof Error ? error.message : String(error) };
      report(`${step.mode} ${step.objects} round ${round} ${name} FAILED: ${sample.error}`);
      await server.apiserver.ensure();
    }
    this.#samples.push({ ...sample, values: { ...sample.values, tookSeconds: (performance.now() - started) / 1000 } });
    const names = [...this.#parts.ready.keys()];
    const rows = summarise(this.#samples, names);
    const title = mode.title({ options, objects: step.objects });
    results.set(step, { ...step, title, rows, samples: this.#samples });
  }

  /** Measures each runtime with an empty cache, to compute the bytes per object. */
  async #measureEmpty(names: readonly string[]): Promise<void> {
    const { signal, report } = this.#parts;
    for (const name of names) {
      const context = this.#context(name, "empty");
      try {
        const options = { ...context.options, settleMs: Math.min(3000, context.options.settleMs) };
        const { settledMb } = await modes.sync.run({ ...context, options, objects: 0 });
        if (settledMb !== undefined) this.#emptyRss.set(name, settledMb * 1e6);
        report(`${name} takes ${settledMb?.toFixed(0)} MB with an empty cache`);
      } catch (error) {
        signal.throwIfAborted();
        report(`${name} could not be measured with an empty cache: ${String(error)}`);
      }
    }
  }

  /** Runs once more with a profiler. The run is not measured, because profiling slows it down. */
  async #profile(name: string): Promise<void> {
    const { step, results, report, signal } = this.#parts;
    const base = `${step.mode}-${step.objects}-${name}`;
    const snapshot = join(results.folder, `${base}.heapsnapshot`);
    const flags = ["--cpu-prof", `--cpu-prof-dir=${results.folder}`, `--cpu-prof-name=${base}.cpuprofile`];
    const beforeEnd = async (process: RuntimeProcess): Promise<void> => {
      const written = process.next("heap", 120_000);
      process.sendCommand(`heap ${snapshot}`);
      await written;
      writeFileSync(join(results.folder, `${base}.heap.txt`), summariseHeap(readFileSync(snapshot, "utf8")));
      rmSync(snapshot);
    };
    try {
      await modes[step.mode].run({ ...this.#context(name, "profile", flags), beforeEnd });
      report(`profile: ${join(results.folder, base)}.cpuprofile and .heap.txt`);
    } catch (error) {
      signal.throwIfAborted();
      report(`${name} could not be profiled: ${String(error)}`);
    }
  }

  #context(name: string, run: string, nodeFlags: readonly string[] = []): RunContext {
    const { step, options, ready, server, results, signal, report } = this.#parts;
    const found = ready.get(name);
    if (found === undefined) throw new Error(`${name} is not ready`);
    return {
      server,
      options,
      objects: step.objects,
      emptyRss: this.#emptyRss.get(name),
      signal,
      report,
      start: (task) =>
        new RuntimeProcess({
          command: found.command,
          args: found.runtime.args,
          task,
          kubeconfigPath: server.kubeconfigPath,
          logPath: join(results.folder, `${step.mode}-${step.objects}-${name}-${run}.log`),
          signal,
          nodeFlags,
        }),
      beforeEnd: async () => undefined,
    };
  }
}
