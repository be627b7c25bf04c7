import type { JsonRecord } from "@homeostat/core";
import { definitionRules } from "../../../crd/definition-kind.ts";
import { listAt, textAt, valueAt } from "../../../values/fields.ts";
import { fill, partOf } from "../../defaulting/fill.ts";
import { keptStatusMetadata } from "../../updates/kept-status-metadata.ts";
import type { KindStrategy } from "../../strategy.ts";

/** CustomResourceDefinitions. Their validation and their effects are in `src/crd`, because they decide which kinds the server serves. */
export const customResourceDefinitionStrategy: KindStrategy = {
  group: "apiextensions.k8s.io",
  plural: "customresourcedefinitions",
  hasGeneration: true,
  requiresVersionOnUpdate: true,
  // Discovery reports `v1beta1`, which is no longer served, as the storage version.
  isStoredAsServed: true,
  allowsAnyFinalizer: true,
  defaults: {
    "apiextensions.v1.CustomResourceDefinition": { rule: defaultDefinition },
    "apiextensions.v1.CustomResourceDefinitionSpec": { values: { conversion: { strategy: "None" } } },
    "apiextensions.v1.ServiceReference": { values: { port: 443 } },
  },
  status: keptStatusMetadata,
  served: definitionRules,
};

function defaultDefinition(value: JsonRecord): void {
  const names = partOf(partOf(value, "spec"), "names");
  const kind = textAt(names, "kind");
  fill(names, { singular: kind.toLowerCase(), ...(kind === "" ? {} : { listKind: `${kind}List` }) });
  const stored = listAt(value, "spec", "versions").find((version) => valueAt(version, "storage") === true);
  if (stored !== undefined && listAt(value, "status", "storedVersions").length === 0) {
    partOf(value, "status")["storedVersions"] = [textAt(stored, "name")];
  }
}
