import { createHash } from "node:crypto";

/** The content type of an aggregated discovery document. A client takes an answer without these words for a legacy one. */
export const aggregatedType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/** What a client of `/api` or `/apis` wants: the aggregated document, the legacy one, or nothing that there is. */
export type DiscoveryForm = "aggregated" | "legacy" | "none";

const legacyTypes = new Set([
  "application/json",
  "application/yaml",
  "application/vnd.kubernetes.protobuf",
  "application/*",
  "*/*",
]);

/**
 * Chooses by the `Accept` header, as the real server does: the first clause that can be met.
 *
 * Version `v2beta1` of the aggregated form is no longer served: a client that asks for it alone gets nothing (406).
 */
export function discoveryForm(accept: string | undefined): DiscoveryForm {
  const clauses = (accept ?? "").split(",").map((clause) => clause.trim().toLowerCase());
  if (clauses.every((clause) => clause === "")) return "legacy";
  for (const clause of clauses) {
    const [type = "", ...rest] = clause.split(";").map((part) => part.trim());
    if (!legacyTypes.has(type)) continue;
    const words = new Map(rest.map((word) => [word.slice(0, word.indexOf("=")), word.slice(word.indexOf("=") + 1)]));
    const as = words.get("as");
    if (as === undefined) return "legacy";
    const isKnown = words.get("g") === "apidiscovery.k8s.io" && words.get("v") === "v2";
    if (as === "apigroupdiscoverylist" && isKnown && type === "application/json") return "aggregated";
  }
  return "none";
}

/** The hash of a document as the server writes it in ETags and addresses: SHA-512 in capital letters. */
export function documentHash(text: string): string {
  return createHash("sha512").update(text).digest("hex").toUpperCase();
}
