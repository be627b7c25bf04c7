import { createHash } from "node:crypto";

/** `Content-Type` of an aggregated discovery document. client-go treats a response without these parameters as legacy discovery. */
export const aggregatedType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/** The form of discovery that a client of `/api` or `/apis` accepts; `none` when it accepts no form that the server offers. */
export type DiscoveryForm = "aggregated" | "legacy" | "none";

const legacyTypes = new Set([
  "application/json",
  "application/yaml",
  "application/vnd.kubernetes.protobuf",
  "application/*",
  "*/*",
]);

/**
 * Returns the form of discovery for an `Accept` header: that of the first clause that the server can satisfy, as on kube-apiserver.
 *
 * Version `v2beta1` of aggregated discovery is no longer served: a client that accepts nothing else gets a 406.
 */
export function discoveryForm(accept: string | undefined): DiscoveryForm {
  const clauses = (accept ?? "").split(",").map((clause) => clause.trim().toLowerCase());
  if (clauses.every((clause) => clause === "")) return "legacy";
  for (const clause of clauses) {
    const [type = "", ...rest] = clause.split(";").map((part) => part.trim());
    if (!legacyTypes.has(type)) continue;
    const parameters = new Map(
      rest.map((word) => [word.slice(0, word.indexOf("=")), word.slice(word.indexOf("=") + 1)]),
    );
    const as = parameters.get("as");
    if (as === undefined) return "legacy";
    const isKnown = parameters.get("g") === "apidiscovery.k8s.io" && parameters.get("v") === "v2";
    if (as === "apigroupdiscoverylist" && isKnown && type === "application/json") return "aggregated";
  }
  return "none";
}

/** Returns the hash of a document as in kube-apiserver's ETags and OpenAPI URLs: SHA-512 in upper-case hex. */
export function documentHash(text: string): string {
  return createHash("sha512").update(text).digest("hex").toUpperCase();
}
