import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { number, text } from "../cache/shape.ts";

/**
 * The identity of a process, distinct from every other process that had the same process ID.
 *
 * Process IDs are reused, so an ID alone may refer to another process; together with the start time it is unique.
 */
export interface ProcessIdentity {
  readonly pid: number;
  /** Start time, in a form that is valid on this machine until its next boot. */
  readonly started: string;
}

/** Returns the identity of a running process; undefined if no process has that ID, or only a zombie. */
export function identify(pid: number): ProcessIdentity | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  const started = process.platform === "linux" ? startedByProc(pid) : startedByPs(pid);
  return started === undefined ? undefined : { pid, started };
}

/** Reports whether exactly this process still runs. */
export function isAlive(identity: ProcessIdentity): boolean {
  return identify(identity.pid)?.started === identity.started;
}

/** Sends a signal to exactly this process; returns false if it has exited. */
export function signalProcess(identity: ProcessIdentity, signal: NodeJS.Signals): boolean {
  if (!isAlive(identity)) return false;
  try {
    return process.kill(identity.pid, signal);
  } catch {
    return false;
  }
}

/** Parses an identity from JSON; undefined if it is invalid. */
export function readIdentity(value: unknown): ProcessIdentity | undefined {
  const pid = number(value, "pid");
  const started = text(value, "started");
  return pid === undefined || started === undefined ? undefined : { pid, started };
}

/**
 * Returns state and start time from the text of `/proc/<pid>/stat`.
 *
 * The second field is the name of the program in parentheses, which may contain spaces and parentheses itself. Fields are
 * counted from the last closing parenthesis: the state is field 3, the start time field 22.
 */
export function parseStat(stat: string): { state: string; startTicks: string } | undefined {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, startTicks] = [fields[0], fields[19]];
  return state === undefined || startTicks === undefined ? undefined : { state, startTicks };
}

let bootId: string | undefined;

function startedByProc(pid: number): string | undefined {
  try {
    const stat = parseStat(readFileSync(`/proc/${pid}/stat`, "utf8"));
    // Z: a zombie that its parent has not waited for. X: dead.
    if (stat === undefined || stat.state === "Z" || stat.state === "X") return undefined;
    // Ticks count from boot, so the identity includes the boot.
    bootId ??= readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${bootId}/${stat.startTicks}`;
  } catch {
    return undefined;
  }
}

function startedByPs(pid: number): string | undefined {
  try {
    const line = execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    return line.trim() || undefined;
  } catch {
    return undefined;
  }
}
