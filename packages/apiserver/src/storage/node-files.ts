import { access, type FileHandle, mkdir, open, readdir, readFile, rename, unlink } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { DataDiskFullError, DataIoError, DataPermissionError } from "./errors.ts";
import type { Files, OpenFile } from "./files.ts";
import { lockFolder, lockName } from "./folder-lock.ts";

/**
 * A folder of the real file system; made when it is not there. Only its owner can read it: it holds Secrets.
 *
 * @example
 * const files = nodeFiles("/var/lib/homeostat");
 */
export function nodeFiles(path: string): Files {
  const folder = resolve(path);
  const pathOf = (name: string): string => join(folder, name);
  return {
    folder,
    lock: () =>
      named(`Locking ${folder}`, async () => {
        await makeFolder(folder);
        return lockFolder(folder);
      }),
    names: () =>
      named(`Reading ${folder}`, async () => (await readdir(folder)).filter((name) => !name.startsWith(lockName))),
    read: (name) => named(`Reading ${pathOf(name)}`, () => readFile(pathOf(name))),
    open: (name) =>
      named(`Opening ${pathOf(name)}`, async () => {
        // "a" alone would not allow truncating on every system; "r+" does not create.
        const handle = await open(pathOf(name), "a+", 0o600);
        return openFile(pathOf(name), handle);
      }),
    rename: (from, to) => named(`Renaming ${pathOf(from)}`, () => rename(pathOf(from), pathOf(to))),
    remove: (name) => named(`Removing ${pathOf(name)}`, () => unlink(pathOf(name))),
    sync: () =>
      named(`Saving ${folder}`, async () => {
        const handle = await open(folder, "r");
        try {
          await handle.sync();
        } finally {
          await handle.close();
        }
      }),
  };
}

/**
 * Makes a folder, and those above it that are missing.
 *
 * Step by step: where nothing can be made at all, as in /proc, Node's own way (`recursive`) tries for ever.
 */
async function makeFolder(folder: string): Promise<void> {
  if (await isThere(folder)) return;
  if (dirname(folder) !== folder) await makeFolder(dirname(folder));
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have made it just now.
    if (!(await isThere(folder))) throw error;
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}

function openFile(path: string, handle: FileHandle): OpenFile {
  return {
    append: (bytes) =>
      named(`Writing ${path}`, async () => {
        for (let at = 0; at < bytes.length;) at += (await handle.write(bytes, at)).bytesWritten;
      }),
    sync: () => named(`Saving ${path}`, () => handle.datasync()),
    size: () => named(`Reading ${path}`, async () => (await handle.stat()).size),
    truncate: (length) => named(`Cutting ${path}`, () => handle.truncate(length)),
    close: () => named(`Closing ${path}`, () => handle.close()),
  };
}

/** Does something with a file, and says in words what failed. */
async function named<V>(doing: string, work: () => Promise<V>): Promise<V> {
  try {
    return await work();
  } catch (error) {
    throw dataErrorFrom(doing, error);
  }
}

const fullCodes: readonly unknown[] = ["ENOSPC", "EDQUOT", "EFBIG"];
const permissionCodes: readonly unknown[] = ["EACCES", "EPERM", "EROFS"];

/** A file system's failure as one of ours; other errors are left as they are. */
export function dataErrorFrom(doing: string, error: unknown): unknown {
  if (!(error instanceof Error) || !("code" in error) || !("syscall" in error)) return error;
  if (fullCodes.includes(error.code)) return new DataDiskFullError(doing, { cause: error });
  if (permissionCodes.includes(error.code)) return new DataPermissionError(doing, { cause: error });
  return new DataIoError(doing, { cause: error });
}
