import { isEqual, isList, isRecord, type JsonRecord } from "@homeostat/core";
import { fieldOf, listOf } from "./read.ts";

/** The parts of versions that the real server keeps once when all versions have the same. */
export type SharedPart = "schema" | "subresources" | "additionalPrinterColumns" | "selectableFields";

const parts: readonly SharedPart[] = ["schema", "subresources", "additionalPrinterColumns", "selectableFields"];

/** A spec as the real server holds it while it checks it. */
export interface SharedSpec {
  /** What all versions have in common; its problems are reported under the spec, not under a version. */
  readonly shared: ReadonlyMap<SharedPart, unknown>;
  /** The versions without that. */
  readonly versions: readonly unknown[];
}

/** Takes out of the versions what is the same in all of them. With one version that is everything. */
export function sharedParts(spec: JsonRecord): SharedSpec {
  const versions = listOf(spec, "versions");
  const [first] = versions;
  const shared = new Map<SharedPart, unknown>();
  if (versions.length === 0) return { shared, versions };
  const same = parts.filter((part) => {
    const value = normal(fieldOf(first, part));
    return versions.every((version) => isEqual(normal(fieldOf(version, part)), value));
  });
  for (const part of same) {
    const value = normal(fieldOf(first, part));
    if (value !== undefined) shared.set(part, value);
  }
  const rest = versions.map((version) => {
    if (!isRecord(version)) return version;
    return Object.fromEntries(Object.entries(version).filter(([name]) => !same.some((part) => part === name)));
  });
  return { shared, versions: rest };
}

/** An empty list says no more than none. */
function normal(value: unknown): unknown {
  return value === null || (isList(value) && value.length === 0) ? undefined : value;
}
