import type { FileKind } from "./data-format.ts";

/**
 * Name of the file that marks a directory as a data directory and holds its format version. It is the first file
 * written.
 */
export const markerName = "homeostat-data.json";
/** Suffix of a file that is still being written. Recovery removes such files. */
export const unfinishedSuffix = ".tmp";

/** A log or snapshot, identified by its file name. */
export interface DataName {
  readonly name: string;
  readonly kind: FileKind;
  readonly base: number;
}

/** Returns the file name of a log or snapshot. The revision is zero-padded, so names sort by revision. */
export function dataName(kind: FileKind, base: number): string {
  return `${kind}-${String(base).padStart(16, "0")}`;
}

/** Returns the files of a kind among directory entries, sorted by base revision, oldest first. */
export function dataNames(names: readonly string[], kind: FileKind): readonly DataName[] {
  const pattern = new RegExp(`^${kind}-(\\d{16})$`);
  return names
    .flatMap((name) => {
      const digits = pattern.exec(name)?.[1];
      return digits === undefined ? [] : [{ name, kind, base: Number(digits) }];
    })
    .sort((a, b) => a.base - b.base);
}
