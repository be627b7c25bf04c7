// Digests on pod templates. A new digest makes the pods of a component outdated, so that they restart one by one.

import { createHash } from "node:crypto";
import { canonicalJson } from "@homeostat/core";

/** JSON data. */
type Data = string | number | boolean | undefined | readonly Data[] | { readonly [key: string]: Data };

const digitsMax = 32;

/** Returns the digest of data. The order of keys does not matter; absent and undefined keys are the same. */
export function digestOf(data: Data): string {
  return createHash("sha256").update(canonicalJson(data)).digest("hex").slice(0, digitsMax);
}
