import { isRecord, ownValue, type Random } from "@homeostat/core";
import { dataFormat } from "./data-format.ts";
import { markerName, unfinishedSuffix } from "./data-names.ts";
import { DataVersionError } from "./errors.ts";
import { FileJournal } from "./file-journal.ts";
import type { Files } from "./files.ts";
import { type DataNotice, recover } from "./recover.ts";
import { Store, type StoreOptions } from "./store.ts";

/** How to open a store that outlives the process. */
export interface OpenStoreOptions<T> extends Omit<StoreOptions<T>, "from" | "journal"> {
  readonly files: Files;
  readonly random: Random;
  /**
   * Whether a write is acknowledged only when it is on the disk itself. Default true.
   *
   * Without it a write survives the end of the process, however sudden, but maybe not a loss of power.
   */
  readonly fsync?: boolean;
  /** A log that grows longer is replaced by a snapshot. Default 64 MiB. */
  readonly logBytesMax?: number;
  /** Told of what was found in the folder and put right, and of what goes wrong later without harm. */
  readonly onNotice?: (notice: DataNotice) => void;
}

/** A store, and the folder that it is kept in. */
export interface OpenedStore<T> extends AsyncDisposable {
  readonly store: Store<T>;
  /** Makes a snapshot now, so that the next start need not read a long log. */
  readonly snapshot: () => Promise<void>;
}

/**
 * Opens the store in a folder: what was acknowledged is there again, with as much of its past as the log holds.
 *
 * Dispose of it to write down what is waiting and to free the folder. Fails with a `DataInUseError`, `DataVersionError`,
 * `DataCorruptError`, `DataDiskFullError`, `DataPermissionError` or `DataIoError`.
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

/** Makes sure that the folder is one of ours, in a format we know; an empty one is made ours. */
async function checkMarker(files: Files): Promise<void> {
  const names = await files.names();
  if (names.includes(markerName))
    return readMarker(new TextDecoder().decode(await files.read(markerName)), files.folder);
  const others = names.filter((name) => name !== markerName + unfinishedSuffix);
  if (others.length > 0)
    throw new DataVersionError(`${files.folder} holds ${others[0]} and is not a data folder of Homeostat.`);
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
    throw new DataVersionError(`${folder} is in format ${String(format)}; this program knows format ${dataFormat}.`);
}
