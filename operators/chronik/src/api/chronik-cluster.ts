import { defineResource, type InputOf, type ObjectOf, s } from "homeostat";
import { ageColumn } from "@homeostat/schema";
import { group, kind, version } from "./identity.ts";
import { nameLengthMax, namePattern, nameProblem, nameSuffixProblem, reservedNameSuffixes } from "./names.ts";
import { clusterSpec } from "./spec-cluster.ts";
import { clusterStatus, reasons } from "./status.ts";

export const ChronikCluster = defineResource({
  group,
  version,
  kind,
  shortNames: ["ck"],
  categories: ["chronik"],
  // The golden files cover the schema checks; the operator itself only applies defaults.
  schemaChecks: "deferred",
  description:
    "ChronikCluster is a Chronik Stream cluster: controllers that vote, ingest nodes for Kafka clients, and search nodes.",
  // CEL rules instead of a pattern on the name, because only rules have custom messages.
  name: s.string().max(253),
  rules: [
    {
      rule: `self.metadata.name.size() <= ${nameLengthMax} && self.metadata.name.matches('${namePattern}')`,
      message: nameProblem,
      reason: "FieldValueInvalid",
      fieldPath: ".metadata.name",
    },
    {
      rule: reservedNameSuffixes.map((suffix) => `!self.metadata.name.endsWith('${suffix}')`).join(" && "),
      message: nameSuffixProblem,
      reason: "FieldValueInvalid",
      fieldPath: ".metadata.name",
    },
  ],
  spec: clusterSpec,
  status: clusterStatus,
  conditions: reasons,
  scale: {
    specReplicasPath: ".spec.ingestNodes",
    statusReplicasPath: ".status.replicas.ingestNodes",
    labelSelectorPath: ".status.selector",
  },
  columns: [
    { name: "Phase", jsonPath: ".status.phase" },
    { name: "Ready", condition: "Ready" },
    { name: "Controllers", jsonPath: ".status.summary.controllers" },
    { name: "Ingest", jsonPath: ".status.summary.ingestNodes" },
    { name: "Search", jsonPath: ".status.summary.searchNodes" },
    { name: "Reason", condition: "Ready", show: "reason", priority: 1 },
    { name: "Generation", jsonPath: ".status.observedGeneration", priority: 1 },
    { name: "Updated", jsonPath: ".status.lastUpdated", priority: 1 },
    ageColumn,
  ],
});

/** A ChronikCluster with the defaults of the schema, as the API server returns it. */
export type ChronikCluster = ObjectOf<typeof ChronikCluster>;
/** A ChronikCluster as a client may write it, without defaults. */
export type ChronikClusterInput = InputOf<typeof ChronikCluster>;

export type ClusterSpec = ChronikCluster["spec"];
export type ClusterStatus = ChronikCluster["status"];
export type ClusterCondition = NonNullable<ClusterStatus["conditions"]>[number];
export type StorageSpec = ClusterSpec["storage"];
export type MetastoreSpec = ClusterSpec["metastore"];
export type SecuritySpec = ClusterSpec["security"];
export type NetworkSpec = ClusterSpec["network"];
export type TuningSpec = ClusterSpec["tuning"];
export type UpdateStrategySpec = ClusterSpec["updateStrategy"];
export type MaintenanceWindow = NonNullable<UpdateStrategySpec["windows"]>[number];
export type CanarySpec = NonNullable<UpdateStrategySpec["canary"]>;
export type AutoscalerSpec = NonNullable<NonNullable<ClusterSpec["autoscaling"]>["searchNodes"]>;
export type ComponentResources = NonNullable<NonNullable<ClusterSpec["resources"]>["controller"]>;
export type ComponentTemplate = NonNullable<NonNullable<ClusterSpec["template"]>["controller"]>;
export type EnvEntry = NonNullable<ClusterSpec["env"]>[number];
export type RolloutStatus = NonNullable<ClusterStatus["rollout"]>;
export type ComponentRollout = NonNullable<RolloutStatus["components"]>[number];
export type PlanStep = NonNullable<ClusterStatus["plan"]>[number];
export type LastError = NonNullable<ClusterStatus["lastError"]>;
