import { type Clock, nextTurn, type Random, type Timer } from "@homeostat/core";
import { dataFormat, type DataRecord, encodeFrame, encodeHead, type FileKind } from "./data-format.ts";
import { dataName, dataNames, unfinishedSuffix } from "./data-names.ts";
import { DataIoError, StorageStoppedError } from "./errors.ts";
import type { Files, OpenFile } from "./files.ts";
import type { Change } from "./history.ts";
import type { Journal, JournalListener } from "./journal.ts";
import type { DataNotice, Recovered } from "./recover.ts";
import { writeSnapshot } from "./snapshot-file.ts";
import type { View } from "./view.ts";

/** How to make a {@link FileJournal}. */
export interface FileJournalOptions<T> {
  readonly files: Files;
  readonly clock: Pick<Clock, "schedule">;
  readonly random: Random;
  /** Whether a write waits until it is on the disk itself, and not only with the operating system. */
  readonly fsync: boolean;
  /** A log that is longer is closed, and a snapshot made in its place. */
  readonly logBytesMax: number;
  /** The state at the revision that was persisted last, for snapshots. */
  readonly view: (revision: number) => View<T> | undefined;
  readonly onNotice: (notice: DataNotice) => void;
}

/** The log that is being written to. */
interface Log {
  readonly name: string;
  readonly file: OpenFile;
  readonly salt: number;
  length: number;
}

/** Changes on their way to the disk, and the promise that they are there. */
interface Batch<T> {
  readonly changes: Change<T>[];
  readonly done: PromiseWithResolvers<void>;
}

/** The wait of a failed journal before it tries to repair its log, and between attempts. */
const repairEveryMs = 1_000;
/** A repair requires room for this many bytes, so that writes do not resume only to fail at once. */
const repairBytesMin = 64 * 1024;
const noListener = { persisted: () => undefined, lost: () => undefined, resumed: () => undefined };

/**
 * A journal in a folder: a log that every change is appended to, and a snapshot now and then that makes older logs needless.
 *
 * Changes that arrive while others are being written wait together, and are written in one go: many writers share one wait for
 * the disk.
 *
 * When the disk refuses a write (full, over quota, read-only, broken), the journal is in one of two states:
 *
 *     writing ──append or fsync fails──► failed: the changes of the failed and of the waiting batch are lost, and taken
 *        ▲                                 │      back by the store; further changes are refused
 *        └──── repair succeeds ────────────┘  every second: reopen the log, cut it after the last saved batch, check for space
 *
 * The log is cut before anything is appended again, because the failed batch may be on the disk in part or as a whole, and its
 * writers were told that it failed.
 */
export class FileJournal<T> implements Journal<T> {
  readonly #options: FileJournalOptions<T>;
  #log: Log;
  #persisted: number;
  #failure: Error | undefined;
  #listener: JournalListener<T> = noListener;
  #repairTimer: Timer | undefined;
  #isClosed = false;
  /** The log is replaced when it is longer than this. */
  #rotateBytes: number;
  #collecting = newBatch<T>();
  #writing: Batch<T> | undefined;
  #running: Promise<void> | undefined;
  #snapshotting: Promise<void> | undefined;

  private constructor(options: FileJournalOptions<T>, log: Log, persisted: number) {
    this.#options = options;
    this.#log = log;
    this.#persisted = persisted;
    this.#rotateBytes = options.logBytesMax;
  }

  /** Goes on with what was recovered: cuts off what is not good, and removes what is of no use. */
  static async open<T>(options: FileJournalOptions<T>, recovered: Recovered<T>): Promise<FileJournal<T>> {
    const { files } = options;
    for (const name of recovered.leftovers) await files.remove(name);
    const { revision } = recovered.state.view;
    if (recovered.log === undefined) return new FileJournal(options, await newLog(options, revision), revision);
    const { name, salt, length } = recovered.log;
    const file = await files.open(name);
    await file.truncate(length);
    await file.sync();
    await files.sync();
    return new FileJournal(options, { name, file, salt, length }, revision);
  }

  get persistedRevision(): number {
    return this.#persisted;
  }

  get failure(): Error | undefined {
    return this.#failure;
  }

  listen(listener: JournalListener<T>): void {
    this.#listener = listener;
  }

  append(change: Change<T>): void {
    this.#collecting.changes.push(change);
    this.#running ??= this.#run();
  }

  persisted(revision: number): Promise<void> | undefined {
    if (revision <= this.#persisted) return undefined;
    if (this.#failure !== undefined) return Promise.reject(new StorageStoppedError({ cause: this.#failure }));
    const last = this.#writing?.changes.at(-1)?.revision ?? 0;
    return revision <= last ? this.#writing?.done.promise : this.#collecting.done.promise;
  }

  /** Makes a snapshot of what is persisted, whatever the length of the log; settles when it is there. */
  async snapshot(): Promise<void> {
    await this.#idle();
    if (this.#failure !== undefined) throw new StorageStoppedError({ cause: this.#failure });
    this.#running = this.#whileRunning(() => this.#rotate());
    await this.#running;
    await this.#snapshotting;
  }

  /** Writes what is waiting, and closes the log. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#repairTimer?.[Symbol.dispose]();
    await this.#idle();
    this.#failure ??= closedFailure();
    await this.#log.file.close();
  }

  /** Settles when nothing is being written. */
  async #idle(): Promise<void> {
    while (this.#running !== undefined || this.#snapshotting !== undefined) {
      await this.#running;
      await this.#snapshotting;
    }
  }

  #run(): Promise<void> {
    return this.#whileRunning(async () => {
      // What the same turn writes belongs together.
      await Promise.resolve();
      while (this.#collecting.changes.length > 0) {
        await this.#write();
        if (this.#log.length > this.#rotateBytes && this.#snapshotting === undefined) await this.#rotate();
      }
    });
  }

  async #whileRunning(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      // Cutting needs no space. What fails here is cut by the repair.
      await this.#log.file.truncate(this.#log.length).catch(() => undefined);
      this.#fail(error instanceof Error ? error : new Error(String(error)));
    } finally {
      this.#running = undefined;
      if (this.#collecting.changes.length > 0 && this.#failure === undefined) this.#running = this.#run();
    }
  }

  async #write(): Promise<void> {
    const batch = this.#collecting;
    this.#writing = batch;
    this.#collecting = newBatch<T>();
    const frame = encodeFrame(batch.changes.map(recordOf), this.#log.salt);
    await this.#log.file.append(frame);
    if (this.#options.fsync) await this.#log.file.sync();
    this.#log.length += frame.length;
    this.#persisted = batch.changes.at(-1)?.revision ?? this.#persisted;
    this.#writing = undefined;
    batch.done.resolve();
    this.#listener.persisted(this.#persisted);
  }

  #fail(failure: Error): void {
    this.#failure = failure;
    const batches = this.#writing === undefined ? [this.#collecting] : [this.#writing, this.#collecting];
    this.#writing = undefined;
    this.#collecting = newBatch<T>();
    this.#listener.lost(batches.flatMap(({ changes }) => changes));
    const error = new StorageStoppedError({ cause: failure });
    for (const { done } of batches) done.reject(error);
    const { onNotice } = this.#options;
    onNotice({ file: this.#log.name, message: `writes are refused until the disk accepts them: ${failure.message}` });
    this.#scheduleRepair();
  }

  #scheduleRepair(): void {
    if (this.#isClosed) return;
    this.#repairTimer = this.#options.clock.schedule(repairEveryMs, () => {
      this.#running = this.#repair().finally(() => {
        this.#running = undefined;
        if (this.#collecting.changes.length > 0) this.#running = this.#run();
      });
    });
  }

  async #repair(): Promise<void> {
    const { files, onNotice } = this.#options;
    const { name } = this.#log;
    try {
      await this.#reopenLog();
      await this.#removeUnusedLogs();
      await checkSpace(files);
    } catch (error) {
      this.#failure = error instanceof Error ? error : new Error(String(error));
      return this.#scheduleRepair();
    }
    this.#failure = this.#isClosed ? closedFailure() : undefined;
    if (this.#isClosed) return;
    onNotice({ file: name, message: "the disk accepts writes again" });
    this.#listener.resumed();
  }

  /** Opens the log again, because the old handle may be of no use, and cuts off what was written after the last saved batch. */
  async #reopenLog(): Promise<void> {
    const { name, length } = this.#log;
    await this.#log.file.close().catch(() => undefined);
    const file = await this.#options.files.open(name);
    this.#log = { ...this.#log, file };
    const size = await file.size();
    if (size < length) {
      const cause = new Error(`the file has ${size} bytes, but ${length} bytes were saved`);
      throw new DataIoError(`Reopening ${name}`, { cause });
    }
    await file.truncate(length);
    await file.sync();
  }

  /** Removes what a failed rotation left: a newer log beside the one in use would be taken for its continuation at the next start. */
  async #removeUnusedLogs(): Promise<void> {
    const { files } = this.#options;
    const newer = dataNames(await files.names(), "log").filter(({ name }) => name > this.#log.name);
    for (const { name } of newer) await files.remove(name);
    if (newer.length > 0) await files.sync();
  }

  /**
   * Begins a new log, and a snapshot that will make the ones before it needless. When there is no room for a new log, the present
   * one is used further.
   */
  async #rotate(): Promise<void> {
    const base = this.#persisted;
    const { view: viewAt, logBytesMax, onNotice } = this.#options;
    const view = viewAt(base);
    if (view === undefined || this.#log.name === dataName("log", base)) return;
    const before = this.#log;
    try {
      this.#log = await newLog(this.#options, base);
    } catch (error) {
      onNotice({ file: dataName("log", base), message: `the log could not be replaced: ${String(error)}` });
      this.#rotateBytes = this.#log.length + Math.ceil(logBytesMax / 4);
      return this.#removeUnusedLogs();
    }
    this.#rotateBytes = logBytesMax;
    await before.file.close();
    this.#snapshotting = this.#makeSnapshot(view);
  }

  /** A snapshot that fails is no loss, only its log stays longer: the next one may succeed. */
  async #makeSnapshot(view: View<T>): Promise<void> {
    const { files, onNotice, random } = this.#options;
    const name = dataName("snapshot", view.revision);
    try {
      await nextTurn();
      await writeSnapshot({ files, view, name, salt: newSalt(random) });
      await removeOlder(files, view.revision, "log");
      await removeOlder(files, view.revision, "snapshot");
    } catch (error) {
      // What there is of it takes up space that the log may need.
      await files.remove(name + unfinishedSuffix).catch(() => undefined);
      onNotice({ file: name, message: `the snapshot could not be made, and is left for later: ${String(error)}` });
    } finally {
      this.#snapshotting = undefined;
    }
  }
}

function newBatch<T>(): Batch<T> {
  const done = deferred();
  // Whoever waits is told; often nobody does.
  done.promise.catch(() => undefined);
  return { changes: [], done };
}

interface PromiseWithResolvers<V> {
  readonly promise: Promise<V>;
  readonly resolve: (value: V) => void;
  readonly reject: (reason: unknown) => void;
}

function deferred(): PromiseWithResolvers<void> {
  let resolve: (value: void) => void = () => undefined;
  let reject: (reason: unknown) => void = () => undefined;
  const promise = new Promise<void>((onDone, onFailure) => {
    resolve = onDone;
    reject = onFailure;
  });
  return { promise, resolve, reject };
}

function newSalt(random: Random): number {
  return random.int(2 ** 32);
}

function closedFailure(): Error {
  return new Error("The store was closed.");
}

/** Begins a log. Leaves no file behind when that fails. */
async function newLog<T>(
  { files, random }: Pick<FileJournalOptions<T>, "files" | "random">,
  base: number,
): Promise<Log> {
  const name = dataName("log", base);
  const salt = newSalt(random);
  const head = encodeHead({ kind: "log", format: dataFormat, salt, base });
  const file = await files.open(name);
  try {
    await file.truncate(0);
    await file.append(head);
    await file.sync();
    await files.sync();
  } catch (error) {
    await file.close().catch(() => undefined);
    await files.remove(name).catch(() => undefined);
    throw error;
  }
  return { name, file, salt, length: head.length };
}

/** Checks that the disk accepts a file of {@link repairBytesMin}. */
async function checkSpace(files: Files): Promise<void> {
  const name = `space-check${unfinishedSuffix}`;
  const file = await files.open(name);
  try {
    await file.truncate(0);
    await file.append(new Uint8Array(repairBytesMin));
    await file.sync();
  } finally {
    await file.close();
    await files.remove(name);
  }
}

async function removeOlder(files: Files, base: number, kind: FileKind): Promise<void> {
  for (const file of dataNames(await files.names(), kind)) if (file.base < base) await files.remove(file.name);
}

function recordOf<T>({ revision, key, after }: Change<T>): DataRecord {
  return after === undefined
    ? { kind: "delete", key, revision, createdRevision: 0, value: new Uint8Array() }
    : { kind: "put", key, revision, createdRevision: after.createdRevision, value: after.bytes };
}
