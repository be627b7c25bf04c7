import { isRecord, type JsonRecord } from "@homeostat/core";
import type { ApiResource, Discovery } from "./api-resource.ts";
import { recordIn, recordsIn, textIn, textsIn } from "./reading.ts";

/** Asks for everything in one document (since Kubernetes 1.26), and for the old form where that is not known. */
export const aggregatedAccept =
  "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";

/** Whether an answer is the aggregated document, which its type alone tells. */
export function isAggregated(contentType: string | undefined): boolean {
  return contentType?.includes("as=APIGroupDiscoveryList") === true;
}

/**
 * Reads an aggregated discovery document; undefined when it is none. Never throws.
 *
 * Entries that lack a name are left out: a server in trouble should not take the rest down with it.
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
        failures.set(group === "" ? version : `${group}/${version}`, "the server cannot reach whoever serves it");
      }
      return recordsIn(entry, "resources").flatMap((resource) => toResource(resource, { group, version }) ?? []);
    });
  });
  return { resources, failures };
}

function toResource(entry: JsonRecord, place: { group: string; version: string }): ApiResource | undefined {
  const plural = textIn(entry, "resource");
  const shown = recordIn(entry, "responseKind");
  const kind = textIn(shown, "kind");
  if (plural === "" || kind === "") return undefined;
  return {
    ...place,
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
