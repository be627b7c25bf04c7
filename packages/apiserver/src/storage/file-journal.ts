import { type Clock, nextTurn, type Random, type Timer } from "@homeostat/core";
import { dataFormat, type DataRecord, encodeFrame, encodeHeader, type FileKind } from "./data-format.ts";
import { dataName, dataNames, unfinishedSuffix } from "./data-names.ts";
import { DataIoError, StorageStoppedError } from "./errors.ts";
import type { Files, OpenFile } from "./files.ts";
import type { Change } from "./history.ts";
import type { Journal, JournalListener } from "./journal.ts";
import type { DataNotice, Recovered } from "./recover.ts";
import { writeSnapshot } from "./snapshot-file.ts";
import type { View } from "./view.ts";

/** Options of {@link FileJournal}. */
export interface FileJournalOptions<T> {
  readonly files: Files;
  readonly clock: Pick<Clock, "schedule">;
  readonly random: Random;
  /**
   * True to wait for fsync before a write is acknowledged. Without it, a write is acknowledged when the operating
   * system has it.
   */
  readonly fsync: boolean;
  /** Log size in bytes at which the log is replaced by a new one and a snapshot is written. */
  readonly logBytesMax: number;
  /** Returns the state at a revision, for snapshots; undefined if the revision is compacted. */
  readonly view: (revision: number) => View<T> | undefined;
  readonly onNotice: (notice: DataNotice) => void;
}

/** The log that changes are appended to. */
interface Log {
  readonly name: string;
  readonly file: OpenFile;
  readonly salt: number;
  /** Bytes up to the end of the last saved frame. The file may be longer after a failed append. */
  length: number;
}

/** Changes that are written in one frame, and the promise that settles when they are saved or lost. */
interface Batch<T> {
  readonly changes: Change<T>[];
  readonly done: PromiseWithResolvers<void>;
}

/** Delay before a failed journal attempts to repair its log, and between attempts. */
const repairEveryMs = 1_000;
/** Free space that a repair requires, so that writes do not resume only to fail again at once. */
const repairBytesMin = 64 * 1024;
const noListener = { persisted: () => undefined, lost: () => undefined, resumed: () => undefined };

/**
 * A journal in a data directory: a write-ahead log that every change is appended to, and snapshots.
 *
 * **Group commit.** At most one write to the log is in progress. Changes that arrive meanwhile are collected in the
 * next batch, which is written as one frame with one fsync. The cost of fsync, the slowest step by far, is thus shared
 * by all concurrent writers.
 *
 * **Rotation.** When the log exceeds its maximum size, the journal starts a new log at the current revision and writes
 * a snapshot of that revision in the background. When the snapshot is complete, older logs and snapshots are deleted. A
 * crash at any moment leaves a snapshot (or none, at first) and a gapless sequence of logs after it.
 *
 * **Failure.** When the disk rejects a write (full, over quota, read-only, broken), the journal is in one of two
 * states:
 *
 *     writing ──append or fsync fails──► failed: the changes of the failed and of the collecting batch are lost, and the
 *        ▲                                 │      store reverts them; further changes are rejected
 *        └──── repair succeeds ────────────┘  every second: reopen the log, truncate it after the last saved batch, check for space
 *
 * The log is truncated before anything is appended again. The failed batch may be on the disk in part or completely,
 * and its writers received an error: without truncation the next start would replay writes that were reported as
 * failed.
 */
export class FileJournal<T> implements Journal<T> {
  readonly #options: FileJournalOptions<T>;
  #log: Log;
  #persisted: number;
  #failure: Error | undefined;
  #listener: JournalListener<T> = noListener;
  #repairTimer: Timer | undefined;
  #isClosed = false;
  /** The log is rotated when it is longer. Larger than `logBytesMax` after a rotation failed for lack of space. */
  #rotateBytes: number;
  /** Batch that new changes are added to. */
  #collecting = newBatch<T>();
  /** Batch that is being appended and synced. */
  #writing: Batch<T> | undefined;
  /** Task that appends, rotates or repairs. Only one runs at a time. */
  #running: Promise<void> | undefined;
  #snapshotting: Promise<void> | undefined;

  private constructor(options: FileJournalOptions<T>, log: Log, persisted: number) {
    this.#options = options;
    this.#log = log;
    this.#persisted = persisted;
    this.#rotateBytes = options.logBytesMax;
  }

  /**
   * Opens the journal of a recovered directory: deletes leftover files and truncates the log after its last valid
   * frame.
   *
   * The log is synced even if nothing was cut off. Recovery may have read frames that are only in the page cache,
   * because the previous process died before its fsync; the server is about to show them to clients, so they must
   * survive a power loss.
   */
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

  /** Writes a snapshot of the saved state, whatever the size of the log. Settles when it is complete. */
  async snapshot(): Promise<void> {
    await this.#idle();
    if (this.#failure !== undefined) throw new StorageStoppedError({ cause: this.#failure });
    this.#running = this.#whileRunning(() => this.#rotate());
    await this.#running;
    await this.#snapshotting;
  }

  /** Writes the pending changes and closes the log. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#repairTimer?.[Symbol.dispose]();
    await this.#idle();
    this.#failure ??= closedFailure();
    await this.#log.file.close();
  }

  /** Waits until neither the log nor a snapshot is being written. */
  async #idle(): Promise<void> {
    while (this.#running !== undefined || this.#snapshotting !== undefined) {
      await this.#running;
      await this.#snapshotting;
    }
  }

  #run(): Promise<void> {
    return this.#whileRunning(async () => {
      // Let the current event loop turn finish, so that all of its writes are in one frame.
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
      // Truncating needs no free space. If it fails too, the repair truncates the log.
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
    onNotice({
      file: this.#log.name,
      message: `the disk rejected a write; writes are refused until it accepts them again: ${failure.message}`,
    });
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

  /** Reopens the log, because the old handle may be unusable, and truncates it after the last saved batch. */
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

  /**
   * Removes logs that a failed rotation left behind. Recovery would take a newer log for the continuation of the
   * current one, which is written further, and report the gap as corruption.
   */
  async #removeUnusedLogs(): Promise<void> {
    const { files } = this.#options;
    const newer = dataNames(await files.names(), "log").filter(({ name }) => name > this.#log.name);
    for (const { name } of newer) await files.remove(name);
    if (newer.length > 0) await files.sync();
  }

  /**
   * Starts a new log, and a snapshot that makes the older files unnecessary. Keeps the current log if there is no space
   * for another, and attempts the rotation again when it has grown by a quarter of the maximum size.
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
      onNotice({
        file: dataName("log", base),
        message: `log rotation failed, continuing with the current log: ${String(error)}`,
      });
      this.#rotateBytes = this.#log.length + Math.ceil(logBytesMax / 4);
      return this.#removeUnusedLogs();
    }
    this.#rotateBytes = logBytesMax;
    await before.file.close();
    this.#snapshotting = this.#makeSnapshot(view);
  }

  /**
   * Writes a snapshot and removes the older logs and snapshots.
   *
   * A failed snapshot loses no data, because the logs are kept until a snapshot is complete: the next rotation attempts
   * it again.
   */
  async #makeSnapshot(view: View<T>): Promise<void> {
    const { files, onNotice, random } = this.#options;
    const name = dataName("snapshot", view.revision);
    try {
      await nextTurn();
      await writeSnapshot({ files, view, name, salt: newSalt(random) });
      await removeOlder(files, view.revision, "log");
      await removeOlder(files, view.revision, "snapshot");
    } catch (error) {
      // The partial file occupies space that the log may need.
      await files.remove(name + unfinishedSuffix).catch(() => undefined);
      onNotice({ file: name, message: `snapshot failed, the next log rotation attempts it again: ${String(error)}` });
    } finally {
      this.#snapshotting = undefined;
    }
  }
}

function newBatch<T>(): Batch<T> {
  const done = deferred();
  // Every waiter handles the rejection itself. Without one, it must not become an unhandled rejection.
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
  return new Error("The store is closed.");
}

/** Creates a log. Removes the file if that fails. */
async function newLog<T>(
  { files, random }: Pick<FileJournalOptions<T>, "files" | "random">,
  base: number,
): Promise<Log> {
  const name = dataName("log", base);
  const salt = newSalt(random);
  const head = encodeHeader({ kind: "log", format: dataFormat, salt, base });
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

/** Checks that {@link repairBytesMin} bytes can be written, and throws the error of the file system if not. */
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
