import { link, open, readFile, rename, unlink } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { isRecord, ownValue } from "@homeostat/core";
import { DataInUseError } from "./errors.ts";

/** Prefix of the names of lock files. */
export const lockName = "homeostat-lock";

/** The process that holds a lock. */
interface Holder {
  readonly host: string;
  readonly pid: number;
  /** Start time of the process, to recognize that its pid was reused; empty if the system does not report it. */
  readonly started: string;
}

/** Attempts to take a lock that changes hands during each attempt. */
const attemptsMax = 20;

/**
 * Locks a directory for this process, or throws a {@link DataInUseError}. Disposing the result releases the lock.
 *
 * The lock is a file that names its holder: host, pid and start time. A lock whose process on this host has ended is
 * stale and is taken over, so a server that was killed can start again without manual cleanup. A holder on another host
 * (a network file system) cannot be checked and counts as alive.
 */
export async function lockFolder(folder: string): Promise<AsyncDisposable> {
  const path = join(folder, lockName);
  const own = JSON.stringify({ host: hostname(), pid: process.pid, started: await startTimeOf(process.pid) });
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    if (await createLock(path, own)) return { [Symbol.asyncDispose]: () => unlink(path) };
    const text = await readIfExists(path);
    if (text === undefined) continue;
    const holder = parseHolder(text);
    if (holder !== undefined && (await isAlive(holder)))
      throw new DataInUseError(folder, `process ${holder.pid} on ${holder.host} (${path})`);
    await removeStaleLock(path, text);
  }
  throw new DataInUseError(folder, `processes that keep taking the lock (${path})`);
}

/**
 * Creates the lock file and reports whether it did; false if one exists.
 *
 * Writes a temporary file and hard-links it to the final name. Unlike creating the file and then writing to it, this
 * fails if the name exists and never shows another process an empty lock, which it would take for a stale one.
 */
async function createLock(path: string, content: string): Promise<boolean> {
  const unfinished = `${path}.${process.pid}`;
  const handle = await open(unfinished, "w", 0o600);
  try {
    try {
      await handle.writeFile(content);
    } finally {
      await handle.close();
    }
    await link(unfinished, path);
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  } finally {
    await unlink(unfinished);
  }
}

/**
 * Removes a stale lock. Two processes may find the same stale lock; if the other one has replaced it with its own lock
 * in the meantime, that lock is restored.
 */
async function removeStaleLock(path: string, expected: string): Promise<void> {
  const aside = `${path}.${process.pid}.old`;
  try {
    await rename(path, aside);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return;
    throw error;
  }
  if ((await readIfExists(aside)) !== expected) await link(aside, path).catch(() => undefined);
  await unlink(aside);
}

async function readIfExists(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

function parseHolder(text: string): Holder | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(value)) return undefined;
  const [host, pid, started] = [ownValue(value, "host"), ownValue(value, "pid"), ownValue(value, "started")];
  if (typeof host !== "string" || typeof pid !== "number" || typeof started !== "string") return undefined;
  return { host, pid, started };
}

async function isAlive({ host, pid, started }: Holder): Promise<boolean> {
  if (host !== hostname()) return true;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    if (!hasCode(error, "EPERM")) return false;
  }
  const now = await startTimeOf(pid);
  return now === started && now !== "ended";
}

/**
 * Returns the start time of a process in clock ticks since boot; empty without /proc; "ended" for a zombie, which holds
 * nothing.
 */
async function startTimeOf(pid: number): Promise<string> {
  try {
    // The second field, the command in parentheses, may contain spaces and parentheses. The third field follows its
    // last parenthesis.
    const fields = (await readFile(`/proc/${pid}/stat`, "utf8")).replace(/^.*\) /s, "").split(" ");
    return fields[0] === "Z" ? "ended" : (fields[19] ?? "");
  } catch {
    return "";
  }
}
