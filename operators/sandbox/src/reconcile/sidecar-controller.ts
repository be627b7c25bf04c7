// Counts the sidecars in the pods of Services, for the mode Auto.

import {
  type Controller,
  defineController,
  type ReconcileContext,
  type ReconcileResult,
  watched,
  when,
} from "homeostat";
import { keyOf } from "@homeostat/core";
import { Deployment, StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { Pod, Service } from "@homeostat/kubernetes/core/v1";
import type { CacheReader, OwnedKinds } from "@homeostat/runtime";
import { fieldManager, labels } from "../api/identity.ts";
import { selectsPods } from "../api/pod-selector.ts";
import { RouteTable } from "../api/route-table.ts";
import { SandboxPolicy } from "../api/sandbox-policy.ts";
import { viewService } from "../build/service-view.ts";
import type { RouteFeed } from "../observe/route-feed.ts";
import { isReadyPod, type SidecarCounts, type SidecarFacts } from "../observe/sidecar-facts.ts";

/** The part of a Deployment or a StatefulSet that counts its ready pods. */
interface Workload {
  readonly metadata: { readonly uid?: string | undefined; readonly namespace?: string | undefined };
  readonly spec?:
    | { readonly template: { readonly metadata?: { readonly labels?: Readonly<Record<string, string>> } | undefined } }
    | undefined;
  readonly status?: { readonly readyReplicas?: number | undefined } | undefined;
}

const readiness = ({ metadata: { uid }, spec, status }: Workload): readonly unknown[] => [
  uid,
  spec?.template.metadata?.labels,
  status?.readyReplicas,
];

const sidecarWatches = {
  pods: watched(Pod, {
    labels: `${labels.sidecar}=true`,
    map: ({ metadata }, cache) => servicesOf(metadata.namespace, metadata.labels, cache),
    // Drops the specs of pods, which are not read and would be the largest part of the cache.
    transform: (pod: Pod): Pod => ({ ...pod, spec: { containers: [] } }),
    when: when.changed((pod) => [pod.metadata.uid, pod.metadata.labels, isReadyPod(pod)]),
  }),
  deployments: watched(Deployment, {
    map: (object, cache) => servicesOfWorkload(object, cache),
    when: when.changed((object) => readiness(object)),
  }),
  statefulSets: watched(StatefulSet, {
    map: (object, cache) => servicesOfWorkload(object, cache),
    when: when.changed((object) => readiness(object)),
  }),
  // Read by the feed only; changes trigger no reconcile.
  policies: watched(SandboxPolicy),
  tables: watched(RouteTable),
};

type SidecarContext = ReconcileContext<Service, OwnedKinds, typeof sidecarWatches, never>;

export interface SidecarControllerOptions {
  readonly feed: () => RouteFeed;
  readonly facts: () => SidecarFacts;
}

/** Defines the controller. Its primary objects are Services; it writes nothing. */
export function sidecarController({ feed, facts }: SidecarControllerOptions): Controller {
  return defineController({
    name: "sidecar",
    for: Service,
    watches: sidecarWatches,
    fieldManager,
    writesStatus: false,
    metrics: { register: () => undefined, clear: () => facts().reset() },
    when: when.changed(({ metadata: { uid, deletionTimestamp }, spec }) => [uid, deletionTimestamp, spec?.selector]),
    async reconcile(context) {
      return reconcile(context, { feed: feed(), facts: facts() });
    },
  });
}

async function reconcile(
  { object, key, watched: observed, cache, serverClock }: SidecarContext,
  { feed, facts }: { readonly feed: RouteFeed; readonly facts: SidecarFacts },
): Promise<ReconcileResult> {
  const { namespace, selector } = viewService(object);
  const pods = observed.pods.list({ namespace });
  // Most namespaces have no sidecars at all.
  if (pods.length === 0 && facts.hasSidecars(key) === undefined) return {};
  const counts: SidecarCounts = {
    withSidecar: pods.filter((pod) => isReadyPod(pod) && selectsPods({ selector }, pod.metadata.labels ?? {})).length,
    ready: [...observed.deployments.list({ namespace }), ...observed.statefulSets.list({ namespace })]
      .filter(({ spec }) => selectsPods({ selector }, spec?.template.metadata?.labels ?? {}))
      .reduce((sum, { status }) => sum + (status?.readyReplicas ?? 0), 0),
  };
  const { isChanged, againMs } = facts.record(key, counts, serverClock.now());
  if (isChanged) feed.update("Service", key, cache);
  return againMs === undefined ? {} : { requeueAfterMs: againMs };
}

function servicesOf(
  namespace = "",
  podLabels: Readonly<Record<string, string>> = {},
  cache: CacheReader,
): readonly string[] {
  return cache
    .list(Service, { namespace })
    .filter((service) => selectsPods(viewService(service), podLabels))
    .map(keyOf);
}

function servicesOfWorkload({ metadata, spec }: Workload, cache: CacheReader): readonly string[] {
  const { namespace } = metadata;
  // Without a sidecar in the namespace, the readiness of pods does not matter.
  if (cache.list(Pod, { namespace: namespace ?? "" }).length === 0) return [];
  return servicesOf(namespace, spec?.template.metadata?.labels, cache);
}
