// Sample resources for the features of a whole kind: scope, status, scale, columns, versions.

import { s } from "../builder/s.ts";
import { ageColumn } from "../resource/definition.ts";
import { defineResource } from "../resource/define-resource.ts";
import type { Resource } from "../resource/resource.ts";

const group = "gallery.example.com";

/** Status, conditions, scale, columns, selectable fields, short names and categories. */
export const scalable: Resource = defineResource({
  group,
  version: "v1alpha1",
  kind: "NodeGroup",
  shortNames: ["ng", "ngs"],
  categories: ["gallery", "all"],
  description: "A group of nodes that an autoscaler can change.",
  spec: {
    component: s.enum("controller", "ingest", "search").describe("Role of the nodes."),
    replicas: s.int().min(0).max(500).default(1).describe("Desired number of nodes."),
    paused: s.bool().default(false),
    owner: s.string().optional(),
  },
  status: s
    .object({
      phase: s.enum("Pending", "Ready").optional(),
      replicas: s.int().optional(),
      selector: s.string().optional(),
      updated: s.time().optional(),
      observedGeneration: s.int64().optional(),
    })
    .default({ phase: "Pending" }),
  conditions: ["Ready", "Degraded"],
  scale: {
    specReplicasPath: ".spec.replicas",
    statusReplicasPath: ".status.replicas",
    labelSelectorPath: ".status.selector",
  },
  selectableFields: [".spec.component", ".spec.paused", ".status.phase"],
  columns: [
    { name: "Component", jsonPath: ".spec.component" },
    { name: "Phase", jsonPath: ".status.phase", description: "Progress of the group." },
    { name: "Ready", condition: "Ready" },
    { name: "Desired", jsonPath: ".spec.replicas" },
    { name: "Reason", condition: "Ready", show: "reason", priority: 1 },
    { name: "Updated", jsonPath: ".status.updated", priority: 1 },
    { name: "Generation", jsonPath: ".status.observedGeneration", format: "int64", priority: 1 },
    { name: "Team", jsonPath: ".metadata.labels.example\\.com/team", priority: 2 },
    ageColumn,
  ],
});

/** A cluster-scoped kind without spec fields or status. */
export const clusterWide: Resource = defineResource({
  group,
  version: "v1",
  kind: "Policy",
  scope: "Cluster",
  spec: s.object({}).optional(),
});

/** Two versions of one kind, the older one deprecated. Each has fields that the other lacks. */
export const versioned: Resource = defineResource({
  group,
  kind: "LoadTest",
  shortNames: ["lot"],
  versions: {
    v1: {
      deprecated: true,
      deprecationWarning: "gallery.example.com/v1 LoadTest is deprecated, use gallery.example.com/v2",
      spec: {
        image: s.string(),
        workerReplicas: s.int().min(1).max(500).default(1),
        labels: s.map(s.string()).optional(),
      },
      status: s.object({}).preserveUnknown().optional(),
      columns: [{ name: "Image", jsonPath: ".spec.image" }, ageColumn],
    },
    v2: {
      storage: true,
      spec: {
        image: s.string(),
        worker: s.object({ replicas: s.int().min(1).max(500), labels: s.map(s.string()).optional() }),
        autostart: s.bool().default(true),
      },
      status: { phase: s.enum("Pending", "Running").optional() },
      conditions: ["Ready"],
      columns: [{ name: "Phase", jsonPath: ".status.phase" }, ageColumn],
    },
  },
});
