// Digests on pod templates. A new digest makes the pods of a component outdated, so that they restart one by one.

import { createHash } from "node:crypto";

/** JSON data. */
type Data = string | number | boolean | undefined | readonly Data[] | { readonly [key: string]: Data };

const digitsMax = 32;

/** Returns the digest of data. The order of keys does not matter; absent and undefined keys are the same. */
export function digestOf(data: Data): string {
  return createHash("sha256").update(canonicalJson(data)).digest("hex").slice(0, digitsMax);
}

/** Returns JSON with sorted keys. */
function canonicalJson(data: Data): string {
  if (data === undefined) return "null";
  if (typeof data !== "object") return JSON.stringify(data);
  if (isList(data)) return `[${data.map(canonicalJson).join(",")}]`;
  const entries = Object.entries(data)
    .filter(([, value]) => value !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, value]) => `${JSON.stringify(key)}:${canonicalJson(value)}`).join(",")}}`;
}

function isList(data: object): data is readonly Data[] {
  return Array.isArray(data);
}
