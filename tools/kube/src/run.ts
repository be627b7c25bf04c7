import { spawn } from "node:child_process";
import { CommandFailedError, DiskFullError, InterruptedError } from "./errors.ts";
import type { Environment } from "./paths.ts";

/** How to run a program to its end. */
export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Environment;
  readonly input?: string;
  readonly signal?: AbortSignal | undefined;
  /** Lets the program write to the terminal (its output goes to stderr) instead of keeping what it says. */
  readonly show?: boolean;
}

/** How a program ended and what it wrote. */
export interface RunResult {
  /** The exit code; 127 when there is no such program, 128 and more when a signal ended it. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program and waits for it, whatever its exit code. An abort ends it and all it started, and rejects. */
export async function tryRun(command: string, args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  if (options.signal?.aborted === true) throw new InterruptedError();
  return new Promise<RunResult>((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: { ...(options.env ?? process.env) },
      // A group of its own, so that an abort can end a compiler together with the programs it runs.
      detached: true,
      stdio: [
        options.input === undefined ? "ignore" : "pipe",
        options.show === true ? 2 : "pipe",
        options.show === true ? 2 : "pipe",
      ],
    });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout?.on("data", (chunk: Buffer) => out.push(chunk));
    child.stderr?.on("data", (chunk: Buffer) => err.push(chunk));
    // A program may end without reading what it is given; how it ended says more than the broken pipe.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(options.input);
    const stop = (): void => {
      endGroup(child.pid);
    };
    options.signal?.addEventListener("abort", stop, { once: true });
    const finish = (result: RunResult): void => {
      options.signal?.removeEventListener("abort", stop);
      if (options.signal?.aborted === true) reject(new InterruptedError());
      else resolve(result);
    };
    child.once("error", (error) => {
      finish({ code: 127, stdout: "", stderr: error.message });
    });
    child.once("close", (code, signal) => {
      const text = (chunks: Buffer[]): string => Buffer.concat(chunks).toString("utf8");
      finish({ code: code ?? (signal === null ? 1 : 128), stdout: text(out), stderr: text(err) });
    });
  });
}

/** Runs a program and returns what it wrote to stdout. Throws {@link CommandFailedError} when it does not end well. */
export async function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const result = await tryRun(command, args, options);
  if (result.code === 0) return result.stdout;
  throw commandFailed([command, ...args].join(" "), result);
}

/** The error for a program that did not end well, with the end of what it said. */
export function commandFailed(what: string, { code, stdout, stderr }: RunResult): Error {
  const said = (stderr.trim() === "" ? stdout : stderr).trim();
  if (/no space left on device|disk quota exceeded/i.test(said)) {
    return new DiskFullError(
      `No room left on the disk during: ${what}. Free some, or point HOMEOSTAT_CACHE at another disk.`,
    );
  }
  const tail = said.split("\n").slice(-15).join("\n    ");
  return new CommandFailedError(`Failed with exit code ${code}: ${what}${tail === "" ? "" : `\n    ${tail}`}`);
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGTERM");
  } catch {
    // It has ended by itself.
  }
}
