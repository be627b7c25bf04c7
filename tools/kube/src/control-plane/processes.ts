import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync, readSync, readdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { ComponentFailedError, DiskFullError } from "../errors.ts";
import type { Environment } from "../cache/paths.ts";
import { type ProcessIdentity, identify, isAlive, signalProcess } from "../processes/process-identity.ts";
import type { ComponentProcess } from "../records/state.ts";
import { poll } from "../processes/time.ts";

/** Environment variable of every process of a cluster, with the cluster's folder as value, by which unrecorded processes are found. */
export const markerVariable = "HOMEOSTAT_KUBE_CLUSTER";

/** A program to start. */
export interface Program {
  readonly component: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly clusterFolder: string;
  readonly logPath: string;
  readonly env: Environment;
}

/** A child process that was just started. */
export interface Started {
  readonly process: ComponentProcess;
  readonly logPath: string;
  /** Description of its end, such as `"exited with code 1"`; undefined while it runs. */
  ended(): string | undefined;
}

/** Starts a program in its own session, so that it outlives this process, with its output in a log file. */
export async function start(program: Program): Promise<Started> {
  mkdirSync(dirname(program.logPath), { recursive: true, mode: 0o700 });
  const log = openSync(program.logPath, "w", 0o600);
  let child: ChildProcess;
  try {
    child = spawn(program.command, program.args, {
      cwd: program.clusterFolder,
      detached: true,
      stdio: ["ignore", log, log],
      env: { ...program.env, [markerVariable]: program.clusterFolder },
    });
  } finally {
    closeSync(log);
  }
  let ended: string | undefined;
  child.once("exit", (code, signal) => {
    ended = signal === null ? `exited with code ${code ?? "?"}` : `was ended by ${signal}`;
  });
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", (cause) => {
      const problem = `could not be started (${cause.message})`;
      reject(
        new ComponentFailedError(
          { component: program.component, problem, logTail: "", logPath: program.logPath },
          { cause },
        ),
      );
    });
  });
  child.unref();
  const identity = child.pid === undefined ? undefined : identify(child.pid);
  // A program that has already exited has no identity; a start time that matches nothing means the same.
  const process = { component: program.component, ...(identity ?? { pid: child.pid ?? 0, started: "ended" }) };
  return { process, logPath: program.logPath, ended: () => ended };
}

/** Waits until `check` reports readiness; throws {@link ComponentFailedError} if the process exits first. */
export async function untilReady(
  started: Started,
  check: () => Promise<boolean>,
  options: { timeoutMs: number; signal?: AbortSignal | undefined },
): Promise<void> {
  const ready = await poll(
    async () => {
      const ended = started.ended();
      if (ended !== undefined) throw componentFailed(started, `${ended} while starting`);
      return check();
    },
    { everyMs: 50, timeoutMs: options.timeoutMs, signal: options.signal },
  );
  if (!ready) throw componentFailed(started, `was not ready after ${Math.round(options.timeoutMs / 1000)} s`);
}

/** Returns the error for a component that did not start, with the end of its log. */
export function componentFailed({ process, logPath }: Started, problem: string): Error {
  const tail = logTail(logPath);
  if (/no space left on device|disk quota exceeded/i.test(tail)) {
    return new DiskFullError(
      `${process.component} ${problem}: no room left on the disk. Free some, or point HOMEOSTAT_CACHE at another disk. Its log: ${logPath}`,
    );
  }
  return new ComponentFailedError({ component: process.component, problem, logTail: tail, logPath });
}

/** Returns the last lines of a log, reading only its end. */
export function logTail(path: string, linesMax = 12, bytesMax = 16_384): string {
  try {
    const file = openSync(path, "r");
    try {
      const size = statSync(path).size;
      const buffer = Buffer.alloc(Math.min(size, bytesMax));
      const length = readSync(file, buffer, 0, buffer.length, size - buffer.length);
      const lines = buffer.toString("utf8", 0, length).trimEnd().split("\n");
      return lines
        .slice(-linesMax)
        .map((line) => (line.length > 400 ? `${line.slice(0, 400)}…` : line))
        .join("\n");
    } finally {
      closeSync(file);
    }
  } catch {
    return "";
  }
}

/** Stops processes by SIGTERM, and after `graceMs` by SIGKILL (immediately with 0). Resolves when none runs any more. */
export async function stopAll(processes: readonly ProcessIdentity[], graceMs: number): Promise<void> {
  const gone = (): boolean => !processes.some(isAlive);
  if (graceMs > 0) {
    for (const one of processes) signalProcess(one, "SIGTERM");
    if (await poll(gone, { everyMs: 20, timeoutMs: graceMs })) return;
  }
  for (const one of processes) signalProcess(one, "SIGKILL");
  await poll(gone, { everyMs: 20, timeoutMs: 10_000 });
}

/**
 * Returns the processes with a cluster's environment variable, recorded or not.
 *
 * A starter that is killed between starting and recording a process leaves an unrecorded one. Linux only; elsewhere the list is
 * empty.
 */
export function markedProcesses(clusterFolder: string): ProcessIdentity[] {
  const mark = `${markerVariable}=${clusterFolder}`;
  return processNumbers().flatMap((pid) => {
    if (pid === process.pid || !environmentOf(pid).includes(mark)) return [];
    const identity = identify(pid);
    return identity === undefined ? [] : [identity];
  });
}

function processNumbers(): number[] {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

function environmentOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  } catch {
    return [];
  }
}
