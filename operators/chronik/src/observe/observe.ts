// The observed state of a cluster, from the cache. Results of component calls are added by component-calls.ts.

import type { DeepReadonly, Stored } from "homeostat";
import { parseTime, tryParseTime } from "@homeostat/core";
import type { Deployment, StatefulSet } from "@homeostat/kubernetes/apps/v1";
import type { Pod } from "@homeostat/kubernetes/core/v1";
import { annotations, isAnnotated } from "../api/annotations.ts";
import type { ClusterStatus } from "../api/chronik-cluster.ts";
import { components, type StatefulComponent } from "../api/identity.ts";
import { labels } from "../api/labels.ts";
import { names, ordinalOf } from "../api/names.ts";
import { clusterIndexValue, type Context } from "./kinds.ts";
import { claimsOf, stuckOf, tierOf } from "./members.ts";
import { type NodesByName, zoneLabel } from "./nodes.ts";
import type {
  Observed,
  ObservedCertificate,
  ObservedDeployment,
  ObservedNodeGroups,
  ObservedSearchPod,
  ObservedSlot,
  PreviousStatus,
  SearchColor,
} from "./observed.ts";

/** The parts of a reconcile that observation reads. */
export type ObserveScope = Pick<Context, "name" | "namespace" | "object" | "owned" | "watched">;

/** Facts that are not in the cache. */
export interface ObserveFacts {
  readonly certificates?: readonly ObservedCertificate[] | undefined;
  readonly nodes?: NodesByName | undefined;
}

/** Reads the objects of a cluster from the cache. Own writes of this reconcile are visible. */
export function observe(scope: ObserveScope, { certificates = [], nodes = new Map() }: ObserveFacts = {}): Observed {
  const { name, owned, object } = scope;
  const pods = podsOf(scope);
  const tier = (component: StatefulComponent) =>
    tierOf(name, component, { set: statefulSetOf(scope, component), pods });
  const config = owned.configMaps.get(names.componentConfig(name, "controller"));
  return {
    controller: tier("controller"),
    ingest: tier("ingest"),
    search: observeSearch(scope, { pods, nodes }),
    claims: claimsOf(name, { claims: claimsIn(scope), pods }),
    nodeGroups: nodeGroupsOf(scope),
    certificates,
    isBootstrapRecorded: config !== undefined && isAnnotated(config.metadata, annotations.bootstrapped),
    previous: { ...previousOf(object.status), searchSwitchedAt: switchedAtOf(scope) },
    requests: {
      skipScaleDownCheck: isAnnotated(object.metadata, annotations.skipScaleDownCheck),
      skipComponentCheck: object.metadata.annotations?.[annotations.skipComponentCheck],
      approvedCanary: object.metadata.annotations?.[annotations.canaryApprove],
    },
  };
}

/** Returns all pods of a cluster, terminating ones and those of a deleted StatefulSet included. */
export function podsOf({ name, namespace, watched }: Pick<ObserveScope, "name" | "namespace" | "watched">) {
  return watched.pods.by("cluster", clusterIndexValue(namespace, name));
}

/** Returns the claims of a cluster. */
export function claimsIn({ name, namespace, watched }: Pick<ObserveScope, "name" | "namespace" | "watched">) {
  return watched.claims.by("cluster", clusterIndexValue(namespace, name));
}

/** Returns the StatefulSet of a component, if the cluster owns it. */
export function statefulSetOf(
  { name, owned }: Pick<ObserveScope, "name" | "owned">,
  component: StatefulComponent,
): Stored<StatefulSet> | undefined {
  return owned.statefulSets.get(names.component(name, component));
}

function observeSearch(
  { name, owned }: ObserveScope,
  { pods, nodes }: { readonly pods: readonly DeepReadonly<Pod>[]; readonly nodes: NodesByName },
): Observed["search"] {
  const service = owned.services.get(names.searchService(name));
  return {
    deployments: owned.deployments.list().flatMap((deployment) => deploymentOf(name, deployment)),
    pods: pods.flatMap((pod) => searchPodOf(pod, nodes)),
    slots: owned.endpointSlices.list().flatMap(({ endpoints = [] }) =>
      endpoints.flatMap(({ hostname = "", targetRef }): ObservedSlot[] => {
        const slot = ordinalOf(name, "search", hostname);
        return slot === undefined || targetRef?.uid === undefined ? [] : [{ slot, podUid: targetRef.uid }];
      }),
    ),
    activeColor: service && colorOf(service.spec?.selector?.[labels.color]),
  };
}

function colorOf(text: string | undefined): SearchColor {
  return text === "blue" || text === "green" ? text : "plain";
}

/** Returns the name of a search Deployment. */
export function deploymentName(cluster: string, color: SearchColor): string {
  return color === "plain" ? names.component(cluster, "search") : names.searchColor(cluster, color);
}

function deploymentOf(cluster: string, { metadata, spec, status }: Stored<Deployment>): readonly ObservedDeployment[] {
  const color = colorOf(metadata.labels?.[labels.color]);
  if (metadata.name !== deploymentName(cluster, color) || metadata.deletionTimestamp !== undefined) return [];
  const progressing = status?.conditions?.find(({ type }) => type === "Progressing");
  return [
    {
      color,
      generation: metadata.generation ?? 0,
      observedGeneration: status?.observedGeneration ?? 0,
      templateHash: metadata.annotations?.[annotations.templateHash],
      desiredReplicas: spec?.replicas ?? 1,
      replicas: status?.replicas ?? 0,
      updatedReplicas: status?.updatedReplicas ?? 0,
      readyReplicas: status?.readyReplicas ?? 0,
      isDeadlineExceeded: progressing?.reason === "ProgressDeadlineExceeded",
    },
  ];
}

export function searchPodOf(pod: DeepReadonly<Pod>, nodes: NodesByName): readonly ObservedSearchPod[] {
  const { metadata, spec, status } = pod;
  const { name: podName = "", uid = "", labels: marks, creationTimestamp } = metadata;
  if (marks?.[labels.clusterComponent] !== "search") return [];
  const isTerminating = metadata.deletionTimestamp !== undefined;
  const createdAt = creationTimestamp === undefined ? 0 : parseTime(creationTimestamp);
  const isReady = status?.conditions?.find(({ type }) => type === "Ready")?.status === "True";
  return [
    {
      podName,
      uid,
      ip: status?.podIP,
      color: colorOf(marks[labels.color]),
      isReady: isReady && !isTerminating,
      stuck: stuckOf(pod, isReady ? undefined : createdAt),
      isTerminating,
      createdAt,
      node: spec?.nodeName,
      // Kubernetes 1.35 and later copies the zone of the node to the pod.
      zone: marks[zoneLabel] ?? nodes.get(spec?.nodeName ?? "")?.zone,
    },
  ];
}

function nodeGroupsOf({ name, owned }: ObserveScope): ObservedNodeGroups {
  const [controller, ingest, search] = components.map(
    (component) => owned.nodeGroups.get(names.component(name, component))?.spec.replicas,
  );
  return { controller, ingest, search };
}

/** Returns the time of the last switch of the search Service, which records it. */
function switchedAtOf({ name, owned }: ObserveScope): number | undefined {
  const text = owned.services.get(names.searchService(name))?.metadata.annotations?.[annotations.switchedAt];
  return text === undefined ? undefined : tryParseTime(text);
}

/** Returns the parts of the last status that decisions continue from. */
function previousOf(status: DeepReadonly<ClusterStatus> | undefined): Omit<PreviousStatus, "searchSwitchedAt"> {
  const { rollout, scaleDown = [], canary } = status ?? {};
  const { component, pod: podName, lastRestartTime } = rollout ?? {};
  const isStateful = component === "controller" || component === "ingest";
  return {
    phase: status?.phase,
    bootstrapped: status?.bootstrapped ?? false,
    initialized: status?.initialized ?? false,
    operatorVersion: status?.operatorVersion,
    lastRestart:
      isStateful && podName !== undefined && lastRestartTime !== undefined
        ? { component, podName, at: parseTime(lastRestartTime) }
        : undefined,
    scaleDown: Object.fromEntries(
      scaleDown.map(({ component: removed, pod, startedAt }) => [
        removed,
        { podName: pod, since: parseTime(startedAt) },
      ]),
    ),
    canary: canary && {
      component: canary.component,
      revision: canary.revision,
      failedRevision: canary.failedRevision,
    },
  };
}
