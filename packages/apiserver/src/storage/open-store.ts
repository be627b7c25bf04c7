import { isRecord, ownValue, type Random } from "@homeostat/core";
import { dataFormat } from "./data-format.ts";
import { markerName, unfinishedSuffix } from "./data-names.ts";
import { DataVersionError } from "./errors.ts";
import { FileJournal } from "./file-journal.ts";
import type { Files } from "./files.ts";
import { type DataNotice, recover } from "./recover.ts";
import { Store, type StoreOptions } from "./store.ts";

/** Options of {@link openStore}. */
export interface OpenStoreOptions<T> extends Omit<StoreOptions<T>, "from" | "journal"> {
  readonly files: Files;
  readonly random: Random;
  /**
   * True to acknowledge a write only when it is on the disk (fsync). Default true.
   *
   * With false a write survives the death of the process, but may be lost when the machine loses power.
   */
  readonly fsync?: boolean;
  /** Size in bytes at which a log is replaced by a snapshot and a new log. Default 64 MiB. */
  readonly logBytesMax?: number;
  /** Called with repairs made while opening the directory, and with later failures that lose no data. */
  readonly onNotice?: (notice: DataNotice) => void;
}

/** A store and its data directory. */
export interface OpenedStore<T> extends AsyncDisposable {
  readonly store: Store<T>;
  /** Writes a snapshot now, so that the next start need not replay a long log. */
  readonly snapshot: () => Promise<void>;
}

/**
 * Opens the store in a data directory. Every acknowledged write is restored, with as much history as the log holds.
 *
 * Dispose the result to write pending changes and to unlock the directory. Fails with a `DataInUseError`,
 * `DataVersionError`, `DataCorruptError`, `DataDiskFullError`, `DataPermissionError` or `DataIoError`.
 *
 * @example
 * await using opened = await openStore({ files: nodeFiles("data"), clock, random, decode });
 * opened.store.create("pods/default/web", bytes);
 * await opened.store.persisted();
 */
export async function openStore<T>(options: OpenStoreOptions<T>): Promise<OpenedStore<T>> {
  const { files, random, fsync = true, logBytesMax = 64 * 1024 * 1024, onNotice = () => undefined, ...rest } = options;
  const lock = await files.lock();
  try {
    await checkMarker(files);
    const recovered = await recover<T>(files, rest.findShared);
    for (const notice of recovered.notices) onNotice(notice);
    const view = (revision: number): ReturnType<Store<T>["view"]> | undefined => {
      const found = store.at(revision);
      return found.outcome === "found" ? found.view : undefined;
    };
    const journal = await FileJournal.open<T>(
      { files, clock: rest.clock, random, fsync, logBytesMax, view, onNotice },
      recovered,
    );
    const store = new Store<T>({ ...rest, from: recovered.state, journal });
    return {
      store,
      snapshot: () => journal.snapshot(),
      [Symbol.asyncDispose]: async () => {
        try {
          await journal.close();
        } finally {
          await lock[Symbol.asyncDispose]();
        }
      },
    };
  } catch (error) {
    await lock[Symbol.asyncDispose]();
    throw error;
  }
}

/**
 * Checks that the directory is a data directory in a known format. Initializes an empty directory; refuses one with
 * other files.
 */
async function checkMarker(files: Files): Promise<void> {
  const names = await files.names();
  if (names.includes(markerName))
    return readMarker(new TextDecoder().decode(await files.read(markerName)), files.folder);
  const others = names.filter((name) => name !== markerName + unfinishedSuffix);
  if (others.length > 0)
    throw new DataVersionError(`${files.folder} contains ${others[0]} and is not a Homeostat data directory.`);
  const unfinished = markerName + unfinishedSuffix;
  const file = await files.open(unfinished);
  try {
    try {
      await file.truncate(0);
      await file.append(new TextEncoder().encode(`${JSON.stringify({ format: dataFormat })}\n`));
      await file.sync();
    } finally {
      await file.close();
    }
    await files.rename(unfinished, markerName);
  } catch (error) {
    await files.remove(unfinished).catch(() => undefined);
    throw error;
  }
  await files.sync();
}

function readMarker(text: string, folder: string): void {
  let marker: unknown;
  try {
    marker = JSON.parse(text);
  } catch (error) {
    throw new DataVersionError(`${markerName} in ${folder} cannot be read.`, { cause: error });
  }
  const format = isRecord(marker) ? ownValue(marker, "format") : undefined;
  if (format !== dataFormat)
    throw new DataVersionError(
      `${folder} has data format ${String(format)}; this version supports format ${dataFormat}.`,
    );
}
