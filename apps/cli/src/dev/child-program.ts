import { type ChildProcess, spawn } from "node:child_process";
import type { Clock } from "@homeostat/core";

/** Time for the program to end after SIGTERM, in milliseconds: a little longer than the grace period of operators. */
const stopMs = 15_000;

/**
 * Module that ends the program when this process has ended without stopping it, for example by SIGKILL: the channel between the two is then closed. The
 * channel does not keep the program running.
 */
const endWithParent =
  'process.once("disconnect", () => process.kill(process.pid, "SIGTERM")); process.channel?.unref();';

/** Options of {@link ChildProgram}. */
export interface ChildProgramOptions {
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Called when the program ends although nothing has stopped it. */
  readonly onExit: (how: string) => void;
  /** Receives the output of the program. */
  readonly write: (text: string) => void;
}

/** The program of the operator as a child process. At most one runs. */
export class ChildProgram {
  readonly #options: ChildProgramOptions;
  #child: ChildProcess | undefined;

  constructor(options: ChildProgramOptions) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#child !== undefined;
  }

  /** Starts the program. The one before must have been stopped. */
  start(file: string, words: readonly string[]): void {
    const { folder, env, onExit, write } = this.#options;
    const module = `data:text/javascript,${encodeURIComponent(endWithParent)}`;
    const child = spawn(process.execPath, ["--enable-source-maps", "--import", module, file, ...words], {
      cwd: folder,
      env,
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8").on("data", write);
    const end = (how: string): void => {
      if (this.#child !== child) return;
      this.#child = undefined;
      onExit(how);
    };
    child.on("error", (error) => end(error.message));
    child.on("close", (code, signal) => end(code === null ? `signal ${signal ?? "unknown"}` : `code ${code}`));
  }

  /** Ends the program with SIGTERM, and with SIGKILL if it does not end in time. */
  async stop(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    // What follows is no unexpected end.
    this.#child = undefined;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const closed = new Promise<void>((resolve) => void child.once("close", () => resolve()));
    child.kill("SIGTERM");
    using _ = this.#options.clock.schedule(stopMs, () => void child.kill("SIGKILL"));
    await closed;
  }
}
