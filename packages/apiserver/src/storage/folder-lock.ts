import { link, open, readFile, rename, unlink } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { isRecord, ownValue } from "@homeostat/core";
import { DataInUseError } from "./errors.ts";

/** What the names of lock files begin with. */
export const lockName = "homeostat-lock";

/** Who holds a folder. */
interface Holder {
  readonly host: string;
  readonly pid: number;
  /** When the process began, where the system tells: another process may have the same number later. */
  readonly started: string;
}

/** How often to try again when the lock changes hands while we look. */
const triesMax = 20;

/**
 * Takes a folder for this process, or throws a {@link DataInUseError}. Dispose of the lock to give it back.
 *
 * The lock is a file that names its holder. One that is left from a process that is gone is taken over, which is why a server that
 * was killed starts again. Of a holder on another machine nobody knows whether it is gone.
 */
export async function lockFolder(folder: string): Promise<AsyncDisposable> {
  const path = join(folder, lockName);
  const own = JSON.stringify({ host: hostname(), pid: process.pid, started: await startOf(process.pid) });
  for (let tries = 0; tries < triesMax; tries += 1) {
    if (await made(path, own)) return { [Symbol.asyncDispose]: () => unlink(path) };
    const text = await readIfThere(path);
    if (text === undefined) continue;
    const holder = parseHolder(text);
    if (holder !== undefined && (await isAlive(holder)))
      throw new DataInUseError(folder, `process ${holder.pid} on ${holder.host} (${path})`);
    await takeAway(path, text);
  }
  throw new DataInUseError(folder, `a process that keeps taking it (${path})`);
}

/** Makes the lock unless it is there. The content is there as soon as the name is. */
async function made(path: string, content: string): Promise<boolean> {
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

/** Removes the lock that was judged to be left behind. If somebody else has just replaced it, puts that one back. */
async function takeAway(path: string, judged: string): Promise<void> {
  const aside = `${path}.${process.pid}.old`;
  try {
    await rename(path, aside);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return;
    throw error;
  }
  if ((await readIfThere(aside)) !== judged) await link(aside, path).catch(() => undefined);
  await unlink(aside);
}

async function readIfThere(path: string): Promise<string | undefined> {
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
    // It is there, and somebody else's, when we may not signal it.
    if (!hasCode(error, "EPERM")) return false;
  }
  const now = await startOf(pid);
  return now === started && now !== "gone";
}

/** When a process began, in the system's own counting; empty where the system does not tell; "gone" for one that has ended. */
async function startOf(pid: number): Promise<string> {
  try {
    // The name in parentheses may hold anything; what follows it are the third field and those after.
    const fields = (await readFile(`/proc/${pid}/stat`, "utf8")).replace(/^.*\) /s, "").split(" ");
    return fields[0] === "Z" ? "gone" : (fields[19] ?? "");
  } catch {
    return "";
  }
}
