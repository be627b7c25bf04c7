import { dataFormat, type DataRecord, decodeFrame, decodeHead, hasFrameBehind, headBytes } from "./data-format.ts";
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

/** Something that was found and put right while a data folder was read, or while it was written. */
export interface DataNotice {
  readonly file: string;
  /** What was found and done, in words. */
  readonly message: string;
}

/** What a data folder holds. */
export interface Recovered<T> {
  readonly state: StoreSnapshot<T>;
  /** The log to go on with, and how much of it is good; `undefined` when there is none yet. */
  readonly log: { readonly name: string; readonly salt: number; readonly length: number } | undefined;
  readonly notices: readonly DataNotice[];
  /** Files that are of no use any more. */
  readonly leftovers: readonly string[];
}

/** The state while it is being put together. */
interface Assembly<T> {
  readonly tree: Tree<Entry<T>>;
  readonly history: History<T>;
  readonly shared: SharedParts;
  revision: number;
}

/**
 * Reads a data folder: the newest snapshot, and the changes of the logs since. Writes nothing.
 *
 * What was written last and not to its end is left out, with a notice: it was never acknowledged. Damage anywhere else is a
 * {@link DataCorruptError}.
 */
export async function recover<T>(files: Files, findShared?: FindShared): Promise<Recovered<T>> {
  const names = await files.names();
  const leftovers = names.filter((name) => name.endsWith(unfinishedSuffix));
  const notices: DataNotice[] = [];
  const snapshots = dataNames(names, "snapshot");
  const newest = snapshots.at(-1);
  const compacted = newest?.base ?? firstRevision;
  const assembly: Assembly<T> = {
    tree: new Tree<Entry<T>>(),
    // How much of it is kept is for the store to say.
    history: new History<T>({ countMax: Infinity, bytesMax: Infinity }, emptyHistory(compacted)),
    revision: compacted,
    shared: new SharedParts(findShared),
  };
  if (newest !== undefined) readSnapshot(await files.read(newest.name), newest, assembly);

  const logs = dataNames(names, "log");
  const used = logs.filter(({ base }) => base >= compacted);
  leftovers.push(...snapshots.slice(0, -1).map(({ name }) => name));
  leftovers.push(...logs.filter(({ base }) => base < compacted).map(({ name }) => name));
  if (newest !== undefined && used.length === 0)
    throw new DataCorruptError({ file: newest.name, offset: 0, problem: "the log that goes on from it is missing" });

  let log: Recovered<T>["log"];
  for (const [i, name] of used.entries()) {
    const isLast = i === used.length - 1;
    const bytes = await files.read(name.name);
    const read = readLog(bytes, name, isLast, assembly);
    if (read === undefined) leftovers.push(name.name);
    else log = { name: name.name, salt: read.salt, length: read.length };
    if (read?.cut !== undefined || read === undefined)
      notices.push(cutNotice(name.name, read?.length ?? 0, bytes.length));
  }
  const view = new View<T>(assembly.revision, assembly.tree);
  return { state: { view, history: assembly.history.state(), nowMs: 0 }, log, notices, leftovers };
}

function cutNotice(file: string, length: number, had: number): DataNotice {
  return {
    file,
    message: `the last ${had - length} bytes of ${file} are a write that was cut short; nobody was told that it succeeded, and it was taken out`,
  };
}

function corrupt(file: string, offset: number, problem: string): DataCorruptError {
  return new DataCorruptError({ file, offset, problem });
}

function readHead(bytes: Uint8Array, { name, kind, base }: DataName): { readonly salt: number } | undefined {
  const head = decodeHead(bytes, kind);
  if (head === undefined) return undefined;
  if (head.format !== dataFormat)
    throw new DataVersionError(`${name} is in format ${head.format}; this program knows format ${dataFormat}.`);
  if (head.base !== base) throw corrupt(name, 16, `it is of revision ${head.base}, and its name says ${base}`);
  return head;
}

function readSnapshot<T>(bytes: Uint8Array, file: DataName, assembly: Assembly<T>): void {
  const { name } = file;
  const head = readHead(bytes, file);
  if (head === undefined) throw corrupt(name, 0, "its head is not whole");
  let offset = headBytes;
  let end: DataRecord | undefined;
  while (offset < bytes.length && end === undefined) {
    const frame = decodeFrame(bytes, offset, head.salt);
    if ("problem" in frame) throw corrupt(name, offset, frame.problem);
    for (const record of frame.records) {
      if (record.kind === "put") assembly.tree.set(entryOf(record, assembly));
      else end = record;
    }
    offset = frame.end;
  }
  if (end?.kind !== "end" || offset !== bytes.length || end.createdRevision !== assembly.tree.size)
    throw corrupt(name, offset, "it does not end as a whole snapshot does");
}

/** Reads a log on top of what is there. `undefined` for one that was only just being made. */
function readLog<T>(
  bytes: Uint8Array,
  file: DataName,
  isLast: boolean,
  assembly: Assembly<T>,
): { readonly salt: number; readonly length: number; readonly cut: string | undefined } | undefined {
  const { name, base } = file;
  const head = readHead(bytes, file);
  if (head === undefined) {
    if (isLast && bytes.length <= headBytes) return undefined;
    throw corrupt(name, 0, "its head is not whole");
  }
  if (base !== assembly.revision)
    throw corrupt(name, 0, `it goes on from revision ${base}, and what is before it ends at ${assembly.revision}`);
  let offset = headBytes;
  while (offset < bytes.length) {
    const frame = decodeFrame(bytes, offset, head.salt);
    if ("problem" in frame) {
      if (!isLast || hasFrameBehind(bytes, offset, head.salt)) throw corrupt(name, offset, frame.problem);
      return { salt: head.salt, length: offset, cut: frame.problem };
    }
    for (const record of frame.records) replay(record, assembly, { name, offset });
    offset = frame.end;
  }
  return { salt: head.salt, length: offset, cut: undefined };
}

function replay<T>(
  record: DataRecord,
  assembly: Assembly<T>,
  { name, offset }: { name: string; offset: number },
): void {
  const { revision, key } = record;
  if (revision !== assembly.revision + 1)
    throw corrupt(name, offset, `revision ${revision} follows ${assembly.revision}`);
  const after = record.kind === "put" ? entryOf<T>(record, assembly) : undefined;
  const before = after === undefined ? assembly.tree.delete(orderOf(key)) : assembly.tree.set(after);
  assembly.revision = revision;
  assembly.history.add({ revision, key, before, after, atMs: 0 });
}

function entryOf<T>(
  { key, value, revision, createdRevision }: DataRecord,
  { shared }: Pick<Assembly<T>, "shared">,
): Entry<T> {
  return newEntry<T>(key, { bytes: value }, { revision, createdRevision, shared });
}
