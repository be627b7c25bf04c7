import { type Batch, planProcesses } from "./plan-processes.ts";
import { runProcess, type StartTimer } from "./run-process.ts";

/** A test that did not pass, and why. */
export interface Failure {
  readonly name: string;
  /** The source file, as a path below the root; empty if unknown. */
  readonly file: string;
  /** The line of the test in the source file, if known. */
  readonly line?: number;
  readonly cause: string;
}

/** The results of a list of test files. */
export interface Outcome {
  /** Number of passed tests by source file. */
  readonly passed: ReadonlyMap<string, number>;
  readonly failures: readonly Failure[];
  /** Tests that were not run, with the reason. */
  readonly skips: readonly { readonly file: string; readonly text: string }[];
  /** Output of the files, by source file. */
  readonly printed: ReadonlyMap<string, string>;
  /** Wall time of each source file in milliseconds. */
  readonly times: ReadonlyMap<string, number>;
}

/** Options of {@link runFiles}. */
export interface RunFilesOptions {
  /** Reported paths are relative to this folder. */
  readonly root: string;
  /** Number of processes that run at the same time. */
  readonly concurrency: number;
  /** An existing folder for the programs that run several files. The caller removes it. */
  readonly folder: string;
  /**
   * Number of files that share a process at most. Without it each file is a program: it may change its process, and node:test tracks every
   * promise, to name the test of an error that no test caught.
   */
  readonly filesPerProcess?: number;
  /** True for files that run in a process of their own, whatever `filesPerProcess` says. */
  readonly isAlone?: (file: string) => boolean;
  /** A file in a shared process fails if its handles are open this long after its last test; 20 s by default. */
  readonly handlesCloseMs?: number;
  /** After an error that no test caught, a shared process ends if the file has not ended this much later; 10 s by default. */
  readonly errorEndsMs?: number;
  /** Time limit of one file in milliseconds. */
  readonly timeout: number;
  /** Starts the timer of a time limit; a timer of Node.js by default. */
  readonly startTimer?: StartTimer;
  /** True for files that mostly wait for timers. Two of them at a time run beside the processes of `concurrency`, from the start on. */
  readonly isWaiting?: (file: string) => boolean;
  /** True for files that depend on real time. They run after all others, one at a time, on a machine that has nothing else to do. */
  readonly isQuiet?: (file: string) => boolean;
  /** Ends the processes of the files when it aborts. */
  readonly signal?: AbortSignal;
  /** Called with the output of a file as it is printed; without it the output is collected in {@link Outcome.printed}. */
  readonly onPrint?: (text: string) => void;
  /** Called with each failure as it happens. */
  readonly onFailure: (failure: Failure) => void;
  /** Called when a file has ended. */
  readonly onEnd?: (source: string) => void;
}

/** The outcome while files run. */
export interface Collected extends Outcome {
  readonly passed: Map<string, number>;
  readonly failures: Failure[];
  readonly skips: { file: string; text: string }[];
  readonly printed: Map<string, string>;
  readonly times: Map<string, number>;
}

/** Number of files that mostly wait and run at the same time, beside the others. */
const waitingConcurrency = 2;

/** Runs compiled test files and collects their results. A process runs one file, or several if `filesPerProcess` allows it. */
export async function runFiles(files: readonly string[], options: RunFilesOptions): Promise<Outcome> {
  const { concurrency, isQuiet = () => false, isWaiting = () => false, filesPerProcess = 1 } = options;
  const { isAlone = () => false } = options;
  const all: Collected = { passed: new Map(), failures: [], skips: [], printed: new Map(), times: new Map() };
  const shared = files.filter((file) => !isQuiet(file) && !isWaiting(file));
  const queue = planProcesses(shared, { isAlone, filesMax: filesPerProcess })[Symbol.iterator]();
  const work = async (batches: Iterable<Batch>): Promise<void> => {
    for (const batch of batches) await runBatch(batch, options, all);
  };
  const waiting = files.flatMap((file) => (isWaiting(file) && !isQuiet(file) ? [[file]] : []))[Symbol.iterator]();
  await Promise.all([
    ...Array.from({ length: waitingConcurrency }, () => work(waiting)),
    ...Array.from({ length: concurrency }, () => work(queue)),
  ]);
  for (const file of files.filter(isQuiet)) await runBatch([file], options, all);
  return all;
}

/** Runs all files of a batch. If a file ends the process, a new process runs the files after it. */
async function runBatch(batch: Batch, options: RunFilesOptions, all: Collected): Promise<void> {
  let left = batch;
  // Each process runs at least one file to its end, or fails it.
  while (left.length > 0) left = await runProcess(left, options, all);
}
