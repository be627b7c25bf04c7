import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { number, text } from "./shape.ts";

/**
 * A process told apart from every other that ever had its number.
 *
 * Numbers are given again after a process ends, so a number alone could be a stranger by now; with the moment of its
 * start it cannot.
 */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, in a form that only this machine since its last boot understands. */
  readonly started: string;
}

/** The identity of a process that runs now; undefined when there is none of that number, or only its remains. */
export function identify(pid: number): ProcessIdentity | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  const started = process.platform === "linux" ? startedByProc(pid) : startedByPs(pid);
  return started === undefined ? undefined : { pid, started };
}

/** Whether that very process still runs. */
export function isAlive(identity: ProcessIdentity): boolean {
  return identify(identity.pid)?.started === identity.started;
}

/** Sends a signal to that very process; false when it has ended already. */
export function signalProcess(identity: ProcessIdentity, signal: NodeJS.Signals): boolean {
  if (!isAlive(identity)) return false;
  try {
    return process.kill(identity.pid, signal);
  } catch {
    return false;
  }
}

/** Reads an identity back from a file; undefined when it is not one. */
export function readIdentity(value: unknown): ProcessIdentity | undefined {
  const pid = number(value, "pid");
  const started = text(value, "started");
  return pid === undefined || started === undefined ? undefined : { pid, started };
}

/**
 * State and start time out of the text of `/proc/<pid>/stat`.
 *
 * The second field is the program's name in parentheses and may itself hold spaces and parentheses, so fields are
 * counted from its last closing one: the state is field 3, the start time field 22.
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
    // Z: it has ended and only its parent's interest is missing. X: it is just going.
    if (stat === undefined || stat.state === "Z" || stat.state === "X") return undefined;
    // Ticks count from boot, so the boot has to be part of it.
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
