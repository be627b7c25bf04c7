import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { threadSeconds, type Usage, usageOf } from "../peers/proc.ts";
import { until } from "../peers/time.ts";

/** Start options of {@link ProgramProcess}. */
export interface ProgramStart {
  readonly command: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Folder of its log and of heap snapshots. */
  readonly folder: string;
  /** Text in the log that shows that its controllers work. */
  readonly startedText: string;
  /** Signal on which it returns free memory to the system; undefined if it does so by itself. */
  readonly releaseSignal?: NodeJS.Signals | undefined;
  readonly signal: AbortSignal;
}

/** An operator in a process of its own, measured from outside. */
export class ProgramProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  readonly #start: ProgramStart;

  private constructor(start: ProgramStart) {
    const { command, env, folder } = start;
    const [program = "", ...args] = command;
    const file = openSync(join(folder, "operator.log"), "w", 0o600);
    this.#child = spawn(program, args, { env, stdio: ["ignore", file, file] });
    closeSync(file);
    this.#ended = once(this.#child, "exit");
    this.#start = start;
  }

  /** Starts a program. Resolves when its controllers work. */
  static async start(start: ProgramStart): Promise<ProgramProcess> {
    const process = new ProgramProcess(start);
    try {
      const limits = { everyMs: 50, timeoutMs: 120_000, signal: start.signal };
      await until(() => process.#hasStarted(), { ...limits, what: `the start of ${start.command[0]}` });
      return process;
    } catch (error) {
      await process[Symbol.asyncDispose]();
      throw new Error(`the program has not started; its log ends with ${process.#log().slice(-2_000)}`, {
        cause: error,
      });
    }
  }

  /** Returns CPU and memory used so far. CPU is that of the current threads, which is more exact. */
  usage(): Usage {
    const pid = this.#child.pid ?? 0;
    return { ...usageOf(pid), cpuSeconds: threadSeconds(pid) };
  }

  /** Returns free memory to the system, unless the program does so by itself. */
  releaseMemory(): void {
    const { releaseSignal } = this.#start;
    if (releaseSignal !== undefined) this.#child.kill(releaseSignal);
  }

  /** Writes a heap snapshot. The program must have been started with `--heapsnapshot-signal=SIGUSR2`. */
  async heap(path: string): Promise<Usage> {
    const { folder, signal } = this.#start;
    const usage = this.usage();
    this.#child.kill("SIGUSR2");
    const written = (): string | undefined => readdirSync(folder).find((name) => name.endsWith(".heapsnapshot"));
    const isComplete = (): boolean => {
      const name = written();
      return name !== undefined && readFileSync(join(folder, name), "utf8").trimEnd().endsWith("]}");
    };
    await until(isComplete, { everyMs: 500, timeoutMs: 120_000, signal, what: "the heap snapshot" });
    renameSync(join(folder, written() ?? ""), path);
    return usage;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill("SIGTERM");
    await this.#ended;
  }

  #hasStarted(): boolean {
    if (this.#child.exitCode !== null) throw new Error(`the program exited with code ${this.#child.exitCode}`);
    return this.#log().includes(this.#start.startedText);
  }

  #log(): string {
    return readFileSync(join(this.#start.folder, "operator.log"), "utf8");
  }
}
