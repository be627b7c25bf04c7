// Checks the writes in the order in which the server stored them.

import { isRecord } from "@homeostat/core";

/** One stored write. */
export interface Write {
  /** Resource version of the write, which determines the order. */
  readonly version: bigint;
  readonly writer: string;
  /** Term in which the writer led; a later holder of the Lease has a higher one. */
  readonly epoch: number;
}

/**
 * Returns a sentence for every write that shows two writers; none for a correct history.
 *
 * One writer at a time means: a term has one writer, and no term writes after a later one has written.
 */
export function faultsOf(history: readonly Write[]): string[] {
  const writers = new Map<number, string>();
  const faults: string[] = [];
  let latest: Write | undefined;
  for (const write of history.toSorted((a, b) => (a.version < b.version ? -1 : 1))) {
    const { version, writer, epoch } = write;
    const owner = writers.get(epoch) ?? writer;
    writers.set(epoch, owner);
    if (owner !== writer) faults.push(`${version}: ${writer} wrote in term ${epoch}, which is ${owner}'s`);
    if (latest !== undefined && epoch < latest.epoch) {
      faults.push(`${version}: ${writer} wrote for term ${epoch} after ${latest.writer} had in term ${latest.epoch}`);
    } else latest = write;
  }
  return faults;
}

/** Reads the history from a list of the objects that candidates created. */
export function historyOf(list: unknown): Write[] {
  const items: unknown = isRecord(list) ? list["items"] : undefined;
  if (!Array.isArray(items)) throw new Error("not a list of objects");
  return (items as ListedWrite[]).flatMap(({ metadata, data }) =>
    data?.writer === undefined
      ? []
      : [{ version: BigInt(metadata.resourceVersion), writer: data.writer, epoch: Number(data.epoch) }],
  );
}

interface ListedWrite {
  readonly metadata: { readonly resourceVersion: string };
  readonly data?: { readonly writer?: string; readonly epoch?: string };
}
