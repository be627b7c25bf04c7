// The judge: who wrote when, in the order in which the server itself stored it.

import { isRecord } from "@homeostat/core";

/** One write as the server holds it. */
export interface Write {
  /** Grows with every write to the server, whoever makes it: the order that counts. */
  readonly version: bigint;
  readonly writer: string;
  /** The term in which it was decided; a later holder of the Lease has a higher one. */
  readonly epoch: number;
}

/**
 * Every write that shows two writers, as a sentence each; none for a good history.
 *
 * One writer at a time is two laws: a term has one writer, and once a term has written no earlier one does.
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

/** Reads the history out of a list of the objects that candidates made. */
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
