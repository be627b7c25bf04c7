import { dataFormat, type DataRecord, encodeFrame, encodeHeader } from "./data-format.ts";
import { unfinishedSuffix } from "./data-names.ts";
import type { Files, OpenFile } from "./files.ts";
import type { View } from "./view.ts";

/** Approximate size in bytes of one frame. The event loop serves other work between frames. */
const frameBytesMax = 256 * 1024;

/** Options of {@link writeSnapshot}. */
export interface SnapshotFile<T> {
  readonly files: Files;
  readonly view: View<T>;
  readonly name: string;
  readonly salt: number;
}

/**
 * Writes a state to a snapshot file.
 *
 * Writes to a temporary name, syncs the file, renames it and syncs the directory, so a file with the final name is
 * always complete. If this fails, the caller removes the temporary file.
 */
export async function writeSnapshot<T>({ files, view, name, salt }: SnapshotFile<T>): Promise<void> {
  const unfinished = name + unfinishedSuffix;
  const file = await files.open(unfinished);
  try {
    await file.truncate(0);
    await file.append(encodeHeader({ kind: "snapshot", format: dataFormat, salt, base: view.revision }));
    await writeEntries(file, view, salt);
    await file.sync();
  } finally {
    await file.close();
  }
  await files.rename(unfinished, name);
  await files.sync();
}

async function writeEntries<T>(file: OpenFile, view: View<T>, salt: number): Promise<void> {
  let start = "";
  let isComplete = false;
  while (!isComplete) {
    const records: DataRecord[] = [];
    let bytes = 0;
    isComplete = true;
    view.scan({ prefix: "", start }, ({ key, revision, createdRevision, bytes: value }) => {
      if (bytes >= frameBytesMax) {
        start = key;
        isComplete = false;
        return false;
      }
      records.push({ kind: "put", key, revision, createdRevision, value });
      bytes += value.length;
      return true;
    });
    if (isComplete) records.push(endRecord(view));
    await file.append(encodeFrame(records, salt));
  }
}

function endRecord<T>({ revision, size }: View<T>): DataRecord {
  return { kind: "end", key: "", revision, createdRevision: size, value: new Uint8Array() };
}
