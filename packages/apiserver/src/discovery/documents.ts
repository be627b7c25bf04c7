import { brotliDecompressSync } from "node:zlib";
import { once } from "@homeostat/core";
import { documentIndex, packedDocuments } from "./generated/openapi.ts";

/** Hashes of the OpenAPI documents of built-in groups, by their key in the index: `apis/apps/v1`. */
export const builtInHashes: ReadonlyMap<string, string> = new Map(
  documentIndex.filter(([, , hash]) => hash !== "").map(([key, , hash]) => [key, hash]),
);

// Several megabytes, which only clients such as `kubectl apply` and `kubectl explain` request: decompressed on first use.
const texts = once((): ReadonlyMap<string, Buffer> => {
  const all = brotliDecompressSync(Buffer.from(packedDocuments, "base64"));
  const found = new Map<string, Buffer>();
  let at = 0;
  for (const [key, bytes] of documentIndex) {
    found.set(key, all.subarray(at, at + bytes));
    at += bytes;
  }
  return found;
});

/** Returns the bytes of a recorded document, or undefined. */
export function documentText(key: string): Buffer | undefined {
  return texts().get(key);
}
