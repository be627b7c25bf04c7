import type { FileKind } from "./data-format.ts";

/** Says what a folder is, and in which format. The first file that is made in it. */
export const markerName = "homeostat-data.json";
/** Ends the name of a file that is still being written. */
export const unfinishedSuffix = ".tmp";

/** A file of a data folder, by its name. */
export interface DataName {
  readonly name: string;
  readonly kind: FileKind;
  readonly base: number;
}

/** The name of a log or snapshot. Names sort as their revisions do. */
export function dataName(kind: FileKind, base: number): string {
  return `${kind}-${String(base).padStart(16, "0")}`;
}

/** The logs and snapshots among some names, the oldest first. */
export function dataNames(names: readonly string[], kind: FileKind): readonly DataName[] {
  const pattern = new RegExp(`^${kind}-(\\d{16})$`);
  return names
    .flatMap((name) => {
      const digits = pattern.exec(name)?.[1];
      return digits === undefined ? [] : [{ name, kind, base: Number(digits) }];
    })
    .sort((a, b) => a.base - b.base);
}
