import { spawn } from "node:child_process";
import { CommandFailedError, DiskFullError, InterruptedError } from "../errors.ts";
import type { Environment } from "../cache/paths.ts";

/** Options of a program run. */
export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Environment;
  readonly input?: string;
  readonly signal?: AbortSignal | undefined;
  /** Passes the output of the program to stderr instead of collecting it. */
  readonly show?: boolean;
}

/** Exit code and output of a program. */
export interface RunResult {
  /** The exit code; 127 if the program does not exist, 128 and more if a signal ended it. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end, whatever its exit code. An abort kills it with its children, and rejects. */
export async function tryRun(command: string, args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  if (options.signal?.aborted === true) throw new InterruptedError();
  return new Promise<RunResult>((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: { ...(options.env ?? process.env) },
      // Its own process group, so that an abort can end a compiler together with its children.
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
    // A program may exit without reading its input; its exit code tells more than the broken pipe.
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

/** Runs a program and returns its stdout. Throws {@link CommandFailedError} if it fails. */
export async function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const result = await tryRun(command, args, options);
  if (result.code === 0) return result.stdout;
  throw commandFailed([command, ...args].join(" "), result);
}

/** Returns the error for a failed program, with the end of its output. */
export function commandFailed(what: string, { code, stdout, stderr }: RunResult): Error {
  const said = (stderr.trim() === "" ? stdout : stderr).trim();
  if (/no space left on device|disk quota exceeded/i.test(said)) {
    return new DiskFullError(
      `The disk is full during: ${what}. Free some space, or set HOMEOSTAT_CACHE to a folder on another disk.`,
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
    // The process has already exited.
  }
}
