// The kinds that the sandbox controller owns and watches, and the sandboxes that a change affects.

import { created, managed, type ReconcileContext, watched, when } from "homeostat";
import { controllerOf, type DeepReadonly, type KubeObject } from "@homeostat/core";
import { Deployment, StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { Job } from "@homeostat/kubernetes/batch/v1";
import { Namespace, PersistentVolumeClaim, Pod, Service } from "@homeostat/kubernetes/core/v1";
import type { CacheReader, OwnershipDefinition } from "@homeostat/runtime";
import { fieldManager, labels } from "../api/identity.ts";
import { type CachedLocalWorkload, LocalWorkload } from "../api/local-workload.ts";
import { type CachedRouteGroup, RouteGroup } from "../api/route-group.ts";
import { RouteTable } from "../api/route-table.ts";
import { type CachedSandbox, Sandbox, type ServiceEntry } from "../api/sandbox.ts";
import { type CachedSandboxPolicy, SandboxPolicy } from "../api/sandbox-policy.ts";
import { compileMatch, effectiveLabels } from "../routes/match.ts";
import { endpointIndexes, hostIndexes, keysOfHosts, publishedHosts } from "./host-claims.ts";
import { feeding, type RouteFeed } from "./route-feed.ts";

/** The selector of objects that the operator creates. */
const ours = { labels: `${labels.managedBy}=${fieldManager}` } as const;

/** Labels and annotations that identify the sandbox of an object. Objects in other namespaces have no owner reference and depend on them alone. */
export const ownership: OwnershipDefinition<Sandbox> = {
  mark: {
    uid: labels.sandboxUid,
    desiredHash: `${labels.sandbox}-desired-hash`,
    proof: `${labels.sandbox}-proof`,
    labels: { [labels.managedBy]: fieldManager },
  },
};

/**
 * The kinds of objects of a sandbox. Deployments and Services are not selected by label: the same caches contain the baselines, from
 * which forks are derived.
 */
export const owns = {
  // A Service cannot become headless.
  services: managed(Service, { replaceOn: ["spec.clusterIP"], when: when.specChangedOr(() => undefined) }),
  forks: managed(Deployment, {
    // A Deployment is never recreated for its selector, which contains only the name of the fork and never changes.
    propagation: "Foreground",
    when: when.specChangedOr(({ status }) => [
      status?.observedGeneration,
      status?.replicas,
      status?.readyReplicas,
      status?.updatedReplicas,
      status?.conditions?.map(({ type, status: is, reason }) => [type, is, reason]),
    ]),
  }),
  // Created once: a hook runs once per sandbox.
  jobs: created(Job, {
    ...ours,
    deletes: true,
    when: when.changed(({ metadata: { uid, deletionTimestamp }, status }) => [
      uid,
      deletionTimestamp,
      status?.conditions,
    ]),
  }),
};

/** A predicate for workloads of the baseline: changes of their status and replicas are not drift. */
const templateChanged = when.changed(
  ({ metadata: { uid, generation, labels: marks, deletionTimestamp } }: DeepReadonly<KubeObject>) => [
    uid,
    generation,
    marks,
    deletionTimestamp,
  ],
);

/** Returns the watches of the sandbox controller. Watches of kinds from which routes are compiled also update the feed. */
export function sandboxWatches(feed: () => RouteFeed) {
  return {
    deployments: watched(Deployment, { map: sandboxesOfBaseline, when: templateChanged }),
    statefulSets: watched(StatefulSet, { map: sandboxesOfBaseline, when: templateChanged }),
    baselineServices: watched(Service, {
      indexes: { baselineNamespace: ({ metadata }) => (isOwnService(metadata) ? undefined : metadata.namespace) },
      map: feeding<DeepReadonly<Service>>(feed, "Service", sandboxesOfService),
      when: when.changed(({ metadata: { uid, labels: marks, annotations, deletionTimestamp }, spec }) => [
        uid,
        marks,
        annotations,
        deletionTimestamp,
        spec,
      ]),
    }),
    pods: watched(Pod, {
      ...ours,
      map: sandboxOfObject,
      indexes: { fork: ({ metadata }) => podIndexValues(metadata) },
      // Drops the specs of pods, which are not read and would be the largest part of the cache.
      transform: (pod: Pod): Pod => ({ ...pod, spec: { containers: [] } }),
      when: when.changed(({ metadata: { uid, deletionTimestamp }, status }) => [
        uid,
        deletionTimestamp,
        status?.phase,
        status?.conditions?.map(({ type, status: is, reason }) => [type, is, reason]),
        status?.containerStatuses?.map(({ ready, restartCount, state }) => [
          ready,
          restartCount,
          state?.waiting?.reason,
          state?.terminated?.reason,
        ]),
      ]),
    }),
    // Changes trigger no reconcile, because the access modes of a claim never change.
    claims: watched(PersistentVolumeClaim, { project: ["spec.accessModes"] }),
    routeGroups: watched(RouteGroup, {
      map: feeding<CachedRouteGroup>(feed, "RouteGroup", sandboxesOfGroup),
      indexes: { routingKey: ({ status }) => status?.routingKey },
      when: when.changed(({ metadata: { uid, deletionTimestamp }, spec, status }) => [
        uid,
        deletionTimestamp,
        spec,
        status?.routingKey,
        status?.matchedSandboxes,
      ]),
    }),
    localWorkloads: watched(LocalWorkload, {
      map: feeding<CachedLocalWorkload>(feed, "LocalWorkload", ({ metadata: { namespace = "" }, spec }) => [
        `${namespace}/${spec.sandboxRef.name}`,
      ]),
      indexes: { sandbox: ({ metadata: { namespace = "" }, spec }) => `${namespace}/${spec.sandboxRef.name}` },
    }),
    policies: watched(SandboxPolicy, {
      map: feeding<CachedSandboxPolicy>(feed, "SandboxPolicy", ({ metadata: { namespace = "" } }, cache) =>
        sandboxesTargeting(namespace, cache),
      ),
      when: when.generationChanged(),
    }),
    tables: watched(RouteTable, {
      map: sandboxesOfTable,
      indexes: {
        sandboxUid: ({ spec }) => [...new Set(spec.entries.flatMap(({ sandboxUid }) => sandboxUid ?? []))],
        ...hostIndexes,
      },
      when: when.changed(({ metadata: { uid, deletionTimestamp }, spec, status }) => [
        uid,
        deletionTimestamp,
        spec.version,
        spec.interception,
        publishedHosts(spec),
        status?.replicas?.map(({ hosts }) => hosts),
        status?.proxies,
        status?.activity,
        status?.lostKeys,
        status?.takeover?.phase,
        status?.takeover?.unusedSince,
        status?.observedGeneration,
        status?.conditions?.map(({ type, status: is, reason }) => [type, is, reason]),
      ]),
    }),
    namespaces: watched(Namespace, {
      metadataOnly: true,
      map: ({ metadata: { name } }, cache) => sandboxesTargeting(name, cache),
      when: when.changed(({ metadata: { uid, labels: marks, deletionTimestamp } }) => [uid, marks, deletionTimestamp]),
    }),
  };
}

/** The cache indexes of sandboxes. */
export const indexes = {
  uid: ({ metadata }: CachedSandbox) => metadata.uid,
  /** The workloads that a sandbox forks, as `Kind/namespace/name`. */
  baseline: (sandbox: CachedSandbox) =>
    sandbox.spec.services.map((entry) => baselineIndexValue(targetOf(entry, sandbox))),
  /** The namespaces of these workloads, and the sandbox's own. */
  namespace: (sandbox: CachedSandbox) => [...targetNamespaces(sandbox)],
  routingKey: ({ status }: CachedSandbox) => status?.routingKey,
  host: (sandbox: CachedSandbox) => endpointIndexes.host(sandbox),
  createdBy: ({ metadata: { namespace = "" }, status }: CachedSandbox) =>
    status?.createdBy === undefined ? undefined : `${namespace}/${status.createdBy}`,
};

/** The runtime's context of one reconcile. */
export type Context = ReconcileContext<Sandbox, typeof owns, ReturnType<typeof sandboxWatches>, keyof typeof indexes>;

/** A workload of the baseline. */
export interface Target {
  readonly apiVersion: string;
  readonly kind: ServiceEntry["targetRef"]["kind"];
  readonly namespace: string;
  readonly name: string;
}

/** Returns the workload that an entry names. */
export function targetOf({ targetRef }: DeepReadonly<ServiceEntry>, sandbox: CachedSandbox): Target {
  const { apiVersion, kind, name, namespace = sandbox.metadata.namespace ?? "" } = targetRef;
  return { apiVersion, kind, namespace, name };
}

/** Returns the namespaces in which a sandbox may have objects: its own, and those of the workloads that it forks. */
export function targetNamespaces(sandbox: CachedSandbox): ReadonlySet<string> {
  const home = sandbox.metadata.namespace ?? "";
  return new Set([home, ...sandbox.spec.services.map(({ targetRef }) => targetRef.namespace ?? home)]);
}

function baselineIndexValue({ kind, namespace, name }: Target): string {
  return `${kind}/${namespace}/${name}`;
}

/** Returns the values of the index of pods by fork: the UID of the sandbox with the entry, or with the Job of a hook. */
function podIndexValues({ labels: marks = {}, ...rest }: DeepReadonly<KubeObject>["metadata"]): readonly string[] {
  const uid = marks[labels.sandboxUid];
  if (uid === undefined) return [];
  const fork = marks[labels.fork];
  const job = controllerOf({ metadata: rest });
  return [
    ...(fork === undefined ? [] : [`${uid}/fork/${fork}`]),
    ...(job?.kind === "Job" ? [`${uid}/job/${job.name}`] : []),
  ];
}

/**
 * Maps a RouteGroup to the sandboxes that it matches or names in a route. The runtime calls it with the state before and after a change, so a sandbox
 * which no longer matches is reconciled as well.
 */
export function sandboxesOfGroup(group: CachedRouteGroup, cache: CacheReader): readonly string[] {
  const { namespace = "" } = group.metadata;
  const isMatch = compileMatch(group.spec.match);
  const named = new Set(group.spec.routes.map(({ targetSandbox }) => targetSandbox));
  const concerns = ({ metadata, spec }: CachedSandbox): boolean =>
    named.has(metadata.name ?? "") || isMatch(effectiveLabels(metadata.labels ?? {}, spec.labels));
  return keysOf(cache.list(Sandbox, { namespace }).filter(concerns));
}

function sandboxesOfBaseline(
  { kind, metadata: { namespace = "", name = "" } }: DeepReadonly<KubeObject>,
  cache: CacheReader,
): readonly string[] {
  return keysOf(cache.by(Sandbox, "baseline", `${kind}/${namespace}/${name}`));
}

/**
 * Maps a Service to the sandboxes that fork workloads of its namespace: it may select the baseline or the pods of a fork, now or before. Services of
 * forks affect only their own sandbox, which owns them.
 */
function sandboxesOfService(service: DeepReadonly<Service>, cache: CacheReader): readonly string[] {
  const { namespace = "" } = service.metadata;
  return isOwnService(service.metadata) ? [] : sandboxesTargeting(namespace, cache);
}

function isOwnService({ labels: marks }: DeepReadonly<KubeObject>["metadata"]): boolean {
  return marks?.[labels.managedBy] === fieldManager;
}

function sandboxOfObject({ metadata }: DeepReadonly<KubeObject>, cache: CacheReader): readonly string[] {
  const uid = metadata.labels?.[labels.sandboxUid];
  return uid === undefined ? [] : keysOf(cache.by(Sandbox, "uid", uid));
}

function sandboxesOfTable(table: DeepReadonly<RouteTable>, cache: CacheReader): readonly string[] {
  const uids = new Set(table.spec.entries.flatMap(({ sandboxUid }) => sandboxUid ?? []));
  return [
    ...[...uids].flatMap((uid) => keysOf(cache.by(Sandbox, "uid", uid))),
    ...keysOfHosts(table, (host) => cache.by(Sandbox, "host", host)),
  ];
}

function sandboxesTargeting(namespace: string, cache: CacheReader): readonly string[] {
  return keysOf(cache.by(Sandbox, "namespace", namespace));
}

function keysOf(sandboxes: readonly DeepReadonly<KubeObject>[]): readonly string[] {
  return sandboxes.map(({ metadata: { namespace = "", name = "" } }) => `${namespace}/${name}`);
}
