import { type AccessDefinition, type Controller, defineController, volumeGrowthAccess, when } from "homeostat";
import type { Random } from "@homeostat/core";
import { ControllerRevision } from "@homeostat/kubernetes/apps/v1";
import { Namespace, Node, PersistentVolumeClaim, Pod, Secret } from "@homeostat/kubernetes/core/v1";
import { ChronikCluster } from "../api/chronik-cluster.ts";
import { ChronikNodeGroup } from "../api/chronik-node-group.ts";
import { annotationPrefix } from "../api/annotations.ts";
import { fieldManager, finalizer } from "../api/identity.ts";
import { owns, watches } from "../observe/kinds.ts";
import { cleanup } from "./cleanup.ts";
import type { Dependencies } from "./cluster-context.ts";
import { reconcile } from "./reconcile.ts";

export interface ChronikControllerOptions extends Dependencies {
  readonly concurrency: number;
  /** Label selector of the clusters to reconcile; undefined for all. */
  readonly clusterSelector: string | undefined;
  readonly random: Random;
  /** Verbs on nodes that the enabled features need. */
  readonly nodeVerbs: readonly string[];
}

export function chronikController({
  concurrency,
  clusterSelector,
  random,
  nodeVerbs,
  ...dependencies
}: ChronikControllerOptions): Controller {
  const { metrics, secrets, nodes, problems, hashes, warnings } = dependencies;
  return defineController({
    name: "chronikcluster",
    for: ChronikCluster,
    ...(clusterSelector !== undefined && { select: { labels: clusterSelector } }),
    reportingController: "chronik.stream/operator",
    owns,
    watches,
    access: nodeVerbs.length === 0 ? access : [...access, { type: Node, verbs: nodeVerbs }],
    finalizer,
    fieldManager,
    concurrency,
    metrics: {
      register: (registry) => metrics.register(registry),
      clear: () => {
        metrics.clear();
        secrets.clear();
        nodes.clear();
        problems.clear();
        hashes.clear();
        warnings.clear();
      },
    },
    errorPolicy: {
      transient: { minMs: 30_000, maxMs: 60_000 },
      permanent: { minMs: 300_000, maxMs: 600_000 },
      unknown: { minMs: 120_000, maxMs: 120_000 },
      events: { minMs: 5_000 },
    },
    // Changes of the status are the controller's own and trigger no reconcile.
    when: when.changed(({ metadata: { uid, generation, deletionTimestamp, finalizers, annotations = {} } }) => [
      uid,
      generation,
      deletionTimestamp,
      finalizers,
      Object.entries(annotations).filter(([key]) => key.startsWith(annotationPrefix)),
    ]),
    async reconcile(context) {
      return reconcile(context, dependencies, random);
    },
    async cleanup(context) {
      return cleanup(context, dependencies);
    },
  });
}

/** Permissions of the client in addition to those derived from `owns` and `watches`. */
const access: readonly AccessDefinition[] = [
  { type: Namespace, verbs: ["get"] },
  { type: Secret, verbs: ["get"] },
  { type: ControllerRevision, verbs: ["get"] },
  { type: Pod, verbs: ["delete", "get"] },
  { type: Pod, verbs: ["create"], subresource: "eviction" },
  { type: PersistentVolumeClaim, verbs: ["delete"] },
  { type: ChronikNodeGroup, verbs: ["patch"] },
  { type: ChronikNodeGroup, verbs: ["patch"], subresource: "status" },
  ...volumeGrowthAccess,
];
