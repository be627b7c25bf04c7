import { readdirSync, readFileSync } from "node:fs";

/** Returns the fields of /proc/<pid>/stat after the program's name; none if there is no such process, or no /proc. */
export function statOf(pid: string): string[] {
  try {
    // The name is in parentheses and may contain spaces.
    return readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
  } catch {
    return [];
  }
}

/** Returns the ids of all processes; none if there is no /proc. */
export function processes(): string[] {
  try {
    return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

/**
 * Returns the ids of the processes that this process has started, directly or by others of them.
 *
 * Processes with a session of their own are left out: the watchdogs of clusters outlive this process, because they remove the clusters, and
 * they end the components of these clusters.
 */
export function startedProcesses(): number[] {
  // proc(5): field 1 is the parent, field 3 the session.
  const stats = processes().map((pid) => [pid, statOf(pid)] as const);
  const session = statOf("self")[3];
  const started = new Set([String(process.pid)]);
  for (const parent of started)
    for (const [pid, stat] of stats) if (stat[1] === parent && stat[3] === session) started.add(pid);
  started.delete(String(process.pid));
  return [...started].map(Number);
}
