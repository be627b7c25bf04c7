import { access, type FileHandle, mkdir, open, readdir, readFile, rename, unlink } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { DataDiskFullError, DataIoError, DataPermissionError } from "./errors.ts";
import type { Files, OpenFile } from "./files.ts";
import { lockFolder, lockName } from "./folder-lock.ts";

/**
 * Returns a directory of the real file system, which is created when it is locked first. Only its owner can read it: it
 * holds Secrets.
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
      withOperation(`Locking ${folder}`, async () => {
        await makeFolder(folder);
        return lockFolder(folder);
      }),
    names: () =>
      withOperation(`Reading ${folder}`, async () =>
        (await readdir(folder)).filter((name) => !name.startsWith(lockName)),
      ),
    read: (name) => withOperation(`Reading ${pathOf(name)}`, () => readFile(pathOf(name))),
    open: (name) =>
      withOperation(`Opening ${pathOf(name)}`, async () => {
        // "a" alone does not allow truncation on every system, and "r+" does not create the file.
        const handle = await open(pathOf(name), "a+", 0o600);
        return openFile(pathOf(name), handle);
      }),
    rename: (from, to) => withOperation(`Renaming ${pathOf(from)}`, () => rename(pathOf(from), pathOf(to))),
    remove: (name) => withOperation(`Removing ${pathOf(name)}`, () => unlink(pathOf(name))),
    sync: () =>
      withOperation(`Syncing ${folder}`, async () => {
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
 * Creates a directory and its missing parents.
 *
 * Creates one level at a time: `mkdir` with `recursive` never settles where nothing can be created at all, as in /proc.
 */
async function makeFolder(folder: string): Promise<void> {
  if (await exists(folder)) return;
  if (dirname(folder) !== folder) await makeFolder(dirname(folder));
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it in the meantime.
    if (!(await exists(folder))) throw error;
  }
}

async function exists(path: string): Promise<boolean> {
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
      withOperation(`Writing ${path}`, async () => {
        for (let at = 0; at < bytes.length;) at += (await handle.write(bytes, at)).bytesWritten;
      }),
    sync: () => withOperation(`Syncing ${path}`, () => handle.datasync()),
    size: () => withOperation(`Reading ${path}`, async () => (await handle.stat()).size),
    truncate: (length) => withOperation(`Truncating ${path}`, () => handle.truncate(length)),
    close: () => withOperation(`Closing ${path}`, () => handle.close()),
  };
}

/** Runs a file operation and wraps its failure in an error that names the operation. */
async function withOperation<V>(operation: string, work: () => Promise<V>): Promise<V> {
  try {
    return await work();
  } catch (error) {
    throw dataErrorFrom(operation, error);
  }
}

const fullCodes: readonly unknown[] = ["ENOSPC", "EDQUOT", "EFBIG"];
const permissionCodes: readonly unknown[] = ["EACCES", "EPERM", "EROFS"];

/**
 * Converts a file system error to a `DataDiskFullError`, `DataPermissionError` or `DataIoError`. Returns other errors
 * unchanged.
 */
export function dataErrorFrom(operation: string, error: unknown): unknown {
  if (!(error instanceof Error) || !("code" in error) || !("syscall" in error)) return error;
  if (fullCodes.includes(error.code)) return new DataDiskFullError(operation, { cause: error });
  if (permissionCodes.includes(error.code)) return new DataPermissionError(operation, { cause: error });
  return new DataIoError(operation, { cause: error });
}
