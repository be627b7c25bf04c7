import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { BusyError, errorCode } from "../errors.ts";
import { ensureFolder } from "../cache/paths.ts";
import { identify, isAlive, readIdentity } from "./process-identity.ts";
import { parseJson } from "../cache/shape.ts";
import { poll } from "./time.ts";

/** Options of a lock. */
export interface LockOptions {
  /** The locked resource, for messages, such as `"the build"`. */
  readonly what: string;
  readonly waitMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Called once when another process holds the lock and the wait begins. */
  readonly onWait?: (holderPid: number) => void;
}

/**
 * Runs `work` while holding a lock file, so that two processes never do it at once.
 *
 * The file names its holder. A holder that has exited loses the lock. Throws {@link BusyError} when a running one keeps it longer
 * than `waitMs`.
 */
export async function withLock<T>(path: string, options: LockOptions, work: () => Promise<T>): Promise<T> {
  ensureFolder(dirname(path));
  let waited = false;
  const taken = await poll(
    () => {
      const holder = tryTake(path);
      if (holder === undefined) return true;
      if (!waited) options.onWait?.(holder);
      waited = true;
      return false;
    },
    { everyMs: 100, timeoutMs: options.waitMs, signal: options.signal },
  );
  if (!taken) {
    throw new BusyError(
      `Process ${holderOf(path)?.pid ?? "?"} is still busy with ${options.what}. Wait for it, or end it and try again.`,
    );
  }
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}

/** Takes the lock if it is free or its holder has exited. Returns the process ID of a running holder, else undefined. */
function tryTake(path: string): number | undefined {
  const own = `${path}.${process.pid}`;
  writeFileSync(own, JSON.stringify(identify(process.pid)), { mode: 0o600 });
  try {
    for (let attempt = 0; attempt < 3; attempt++) {
      try {
        // A hard link appears atomically with its content, and only if the name is free.
        linkSync(own, path);
        return undefined;
      } catch (error) {
        if (errorCode(error) !== "EEXIST") throw error;
      }
      const holder = holderOf(path);
      if (holder !== undefined && isAlive(holder)) return holder.pid;
      removeStale(path);
    }
    return holderOf(path)?.pid ?? 0;
  } finally {
    rmSync(own, { force: true });
  }
}

/** Removes the lock of a dead holder, unless another process took it over at the same time. */
function removeStale(path: string): void {
  const aside = `${path}.${process.pid}.stale`;
  try {
    renameSync(path, aside);
  } catch {
    return;
  }
  const moved = readIdentity(parseJson(readOrEmpty(aside)));
  if (moved !== undefined && isAlive(moved)) {
    try {
      linkSync(aside, path);
    } catch {
      // A third process holds it already. Plain files offer no better way.
    }
  }
  rmSync(aside, { force: true });
}

function holderOf(path: string): ReturnType<typeof readIdentity> {
  return readIdentity(parseJson(readOrEmpty(path)));
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
