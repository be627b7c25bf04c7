import { dataFormat, type DataRecord, decodeFrame, decodeHeader, hasFrameAfter, headerBytes } from "./data-format.ts";
import { type DataName, dataNames, unfinishedSuffix } from "./data-names.ts";
import { type Entry, newEntry } from "./entry.ts";
import { DataCorruptError, DataVersionError } from "./errors.ts";
import type { Files } from "./files.ts";
import { emptyHistory, History } from "./history.ts";
import { orderOf } from "./key-order.ts";
import { firstRevision, type StoreSnapshot } from "./store.ts";
import { type FindShared, SharedParts } from "./shared-parts.ts";
import { Tree } from "./tree.ts";
import { View } from "./view.ts";

/** A repair of a data directory while it was opened, or a failure of a later write that loses no data. */
export interface DataNotice {
  readonly file: string;
  /** Description of the problem and of what was done. */
  readonly message: string;
}

/** Content of a data directory. */
export interface Recovered<T> {
  readonly state: StoreSnapshot<T>;
  /** The log to append to and the length of its valid part; undefined if there is none yet. */
  readonly log: { readonly name: string; readonly salt: number; readonly length: number } | undefined;
  readonly notices: readonly DataNotice[];
  /** Files that are no longer needed: unfinished files, and logs and snapshots older than the newest snapshot. */
  readonly leftovers: readonly string[];
}

/** The state that recovery builds up. */
interface RecoveryState<T> {
  readonly tree: Tree<Entry<T>>;
  readonly history: History<T>;
  readonly shared: SharedParts;
  revision: number;
}

/**
 * Reads a data directory: loads the newest snapshot and replays the logs after it. Writes nothing.
 *
 * An incomplete frame at the end of the last log is a write that a crash interrupted. It was never acknowledged, so it
 * is dropped with a notice. Damage anywhere else means that acknowledged writes are lost; recovery then fails with a
 * {@link DataCorruptError} rather than start with a state that clients have seen differently.
 *
 * Values in the history have the time 0, so that the store keeps them for the full `ageMsMax` after the start: a watch
 * can resume across a restart.
 */
export async function recover<T>(files: Files, findShared?: FindShared): Promise<Recovered<T>> {
  const names = await files.names();
  const leftovers = names.filter((name) => name.endsWith(unfinishedSuffix));
  const notices: DataNotice[] = [];
  const snapshots = dataNames(names, "snapshot");
  const newest = snapshots.at(-1);
  const compacted = newest?.base ?? firstRevision;
  const recovering: RecoveryState<T> = {
    tree: new Tree<Entry<T>>(),
    // No limits here: the store applies its own when it takes over the history.
    history: new History<T>({ countMax: Infinity, bytesMax: Infinity }, emptyHistory(compacted)),
    revision: compacted,
    shared: new SharedParts(findShared),
  };
  if (newest !== undefined) readSnapshot(await files.read(newest.name), newest, recovering);

  const logs = dataNames(names, "log");
  const used = logs.filter(({ base }) => base >= compacted);
  leftovers.push(...snapshots.slice(0, -1).map(({ name }) => name));
  leftovers.push(...logs.filter(({ base }) => base < compacted).map(({ name }) => name));
  if (newest !== undefined && used.length === 0)
    throw new DataCorruptError({ file: newest.name, offset: 0, problem: "the log that continues it is missing" });

  let log: Recovered<T>["log"];
  for (const [i, name] of used.entries()) {
    const isLast = i === used.length - 1;
    const bytes = await files.read(name.name);
    const read = readLog(bytes, name, isLast, recovering);
    if (read === undefined) leftovers.push(name.name);
    else log = { name: name.name, salt: read.salt, length: read.length };
    if (read?.cut !== undefined || read === undefined)
      notices.push(cutNotice(name.name, read?.length ?? 0, bytes.length));
  }
  const view = new View<T>(recovering.revision, recovering.tree);
  return { state: { view, history: recovering.history.state(), nowMs: 0 }, log, notices, leftovers };
}

function cutNotice(file: string, length: number, had: number): DataNotice {
  return {
    file,
    message: `dropped the last ${had - length} bytes of ${file}: an incomplete write that was never acknowledged`,
  };
}

function corrupt(file: string, offset: number, problem: string): DataCorruptError {
  return new DataCorruptError({ file, offset, problem });
}

function readHeader(bytes: Uint8Array, { name, kind, base }: DataName): { readonly salt: number } | undefined {
  const header = decodeHeader(bytes, kind);
  if (header === undefined) return undefined;
  if (header.format !== dataFormat)
    throw new DataVersionError(`${name} has data format ${header.format}; this version supports format ${dataFormat}.`);
  if (header.base !== base) throw corrupt(name, 16, `its base revision is ${header.base}, but its name says ${base}`);
  return header;
}

function readSnapshot<T>(bytes: Uint8Array, file: DataName, recovering: RecoveryState<T>): void {
  const { name } = file;
  const header = readHeader(bytes, file);
  if (header === undefined) throw corrupt(name, 0, "its header is incomplete");
  let offset = headerBytes;
  let end: DataRecord | undefined;
  while (offset < bytes.length && end === undefined) {
    const frame = decodeFrame(bytes, offset, header.salt);
    if ("problem" in frame) throw corrupt(name, offset, frame.problem);
    for (const record of frame.records) {
      if (record.kind === "put") recovering.tree.set(entryOf(record, recovering));
      else end = record;
    }
    offset = frame.end;
  }
  if (end?.kind !== "end" || offset !== bytes.length || end.createdRevision !== recovering.tree.size)
    throw corrupt(name, offset, "the snapshot is incomplete");
}

/**
 * Replays a log. Returns undefined for an incomplete header in the last log: the crash came while the log was being
 * created.
 */
function readLog<T>(
  bytes: Uint8Array,
  file: DataName,
  isLast: boolean,
  recovering: RecoveryState<T>,
): { readonly salt: number; readonly length: number; readonly cut: string | undefined } | undefined {
  const { name, base } = file;
  const header = readHeader(bytes, file);
  if (header === undefined) {
    if (isLast && bytes.length <= headerBytes) return undefined;
    throw corrupt(name, 0, "its header is incomplete");
  }
  if (base !== recovering.revision)
    throw corrupt(name, 0, `it continues from revision ${base}, but the files before it end at ${recovering.revision}`);
  let offset = headerBytes;
  while (offset < bytes.length) {
    const frame = decodeFrame(bytes, offset, header.salt);
    if ("problem" in frame) {
      if (!isLast || hasFrameAfter(bytes, offset, header.salt)) throw corrupt(name, offset, frame.problem);
      return { salt: header.salt, length: offset, cut: frame.problem };
    }
    for (const record of frame.records) replay(record, recovering, { name, offset });
    offset = frame.end;
  }
  return { salt: header.salt, length: offset, cut: undefined };
}

function replay<T>(
  record: DataRecord,
  recovering: RecoveryState<T>,
  { name, offset }: { name: string; offset: number },
): void {
  const { revision, key } = record;
  if (revision !== recovering.revision + 1)
    throw corrupt(name, offset, `revision ${revision} follows ${recovering.revision}`);
  const after = record.kind === "put" ? entryOf<T>(record, recovering) : undefined;
  const before = after === undefined ? recovering.tree.delete(orderOf(key)) : recovering.tree.set(after);
  recovering.revision = revision;
  recovering.history.add({ revision, key, before, after, atMs: 0 });
}

function entryOf<T>(
  { key, value, revision, createdRevision }: DataRecord,
  { shared }: Pick<RecoveryState<T>, "shared">,
): Entry<T> {
  return newEntry<T>(key, { bytes: value }, { revision, createdRevision, shared });
}
