import { isRecord, type JsonRecord } from "@homeostat/core";
import type { ApiResource, Discovery } from "./api-resource.ts";
import { recordIn, recordsIn, textIn, textsIn } from "./json-fields.ts";

/** Accepts aggregated discovery, everything in one document (since Kubernetes 1.26), and else the older form. */
export const aggregatedAccept =
  "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";

/** Reports whether a response is an aggregated document. Only its content type tells. */
export function isAggregated(contentType: string | undefined): boolean {
  return contentType?.includes("as=APIGroupDiscoveryList") === true;
}

/**
 * Parses an aggregated discovery document. Returns undefined if it is not one. Never throws.
 *
 * Entries without a name are skipped: one faulty aggregated API server must not make the others undiscoverable.
 */
export function readAggregated(document: unknown): Discovery | undefined {
  if (!isRecord(document) || textIn(document, "kind") !== "APIGroupDiscoveryList") return undefined;
  const failures = new Map<string, string>();
  const resources = recordsIn(document, "items").flatMap((item) => {
    const group = textIn(recordIn(item, "metadata"), "name");
    return recordsIn(item, "versions").flatMap((entry) => {
      const version = textIn(entry, "version");
      if (version === "") return [];
      if (textIn(entry, "freshness") === "Stale") {
        failures.set(group === "" ? version : `${group}/${version}`, "the aggregated API server cannot be reached");
      }
      return recordsIn(entry, "resources").flatMap((resource) => toResource(resource, { group, version }) ?? []);
    });
  });
  return { resources, failures };
}

function toResource(entry: JsonRecord, groupVersion: { group: string; version: string }): ApiResource | undefined {
  const plural = textIn(entry, "resource");
  const shown = recordIn(entry, "responseKind");
  const kind = textIn(shown, "kind");
  if (plural === "" || kind === "") return undefined;
  return {
    ...groupVersion,
    kind,
    plural,
    scope: textIn(entry, "scope") === "Namespaced" ? "Namespaced" : "Cluster",
    singular: textIn(entry, "singularResource") || kind.toLowerCase(),
    shortNames: textsIn(entry, "shortNames"),
    categories: textsIn(entry, "categories"),
    verbs: textsIn(entry, "verbs"),
    subresources: recordsIn(entry, "subresources").flatMap((part) => textIn(part, "subresource") || []),
  };
}
