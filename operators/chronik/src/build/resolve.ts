// Resolves a ChronikCluster: fills in every default, so that builders and decisions read the resolved cluster and never the spec.

import type { DeepReadonly } from "homeostat";
import { annotations } from "../api/annotations.ts";
import { ChronikCluster, type ClusterSpec } from "../api/chronik-cluster.ts";
import { type Component, components } from "../api/identity.ts";
import type { ResolveSettings } from "../settings/settings.ts";
import { resolveComponent } from "./resolve-component.ts";

export type ResolvedCluster = ReturnType<typeof resolveDefaulted>;
export type ResolvedComponent = ResolvedCluster["components"][Component];
export type ResolvedMetastore = ResolvedCluster["metastore"];
export type ResolvedSecurity = ResolvedCluster["security"];

/** Resolves a cluster that has no problems. */
export function resolveCluster(cluster: DeepReadonly<ChronikCluster>, settings: ResolveSettings): ResolvedCluster {
  return resolveDefaulted(ChronikCluster.default(cluster), settings);
}

/** Resolves a cluster that has no problems and has the defaults of its spec. */
export function resolveDefaulted({ metadata, spec }: DeepReadonly<ChronikCluster>, settings: ResolveSettings) {
  const { autoscaling, storage, network } = spec;
  const clusterDomain = network.clusterDomain ?? settings.clusterDomain;
  return {
    name: metadata.name ?? "",
    namespace: metadata.namespace ?? "",
    clusterDomain,
    operatorNamespace: settings.operatorNamespace,
    version: spec.version,
    /** The counts of the spec. With an autoscaler they are only the initial values. */
    counts: { controller: spec.controllers, ingest: spec.ingestNodes, search: spec.searchNodes },
    hasSearch: spec.searchNodes > 0 || autoscaling?.searchNodes !== undefined,
    autoscalers: {
      controller: autoscaling?.controllers,
      ingest: autoscaling?.ingestNodes,
      search: autoscaling?.searchNodes,
    },
    membership: spec.membership,
    storage: { ...storage, search: { ...storage.search, size: storage.search.size ?? storage.size } },
    metastore: resolveMetastore(spec.metastore),
    monitoring: spec.monitoring,
    network,
    security: resolveSecurity(spec.security),
    budget: spec.podDisruptionBudget,
    updateStrategy: spec.updateStrategy,
    scaleDown: spec.scaleDown,
    deletion: spec.deletion,
    tuning: spec.tuning,
    config: {
      common: spec.config?.common ?? {},
      controller: spec.config?.controller ?? {},
      ingest: spec.config?.ingest ?? {},
      search: spec.config?.search ?? {},
    },
    antiAffinity: { mode: spec.antiAffinity, topologyKey: spec.antiAffinityTopologyKey },
    components: byComponent((component) => ({
      ...resolveComponent(spec, component, settings),
      /** Value of the annotation that requests a restart of the component. */
      restart: restartOf(metadata.annotations, component),
    })),
  };
}

/** Returns a record with one value per component. */
export function byComponent<T>(valueOf: (component: Component) => T): Readonly<Record<Component, T>> {
  return { controller: valueOf("controller"), ingest: valueOf("ingest"), search: valueOf("search") };
}

/** Returns the components that a cluster has. */
export function componentsOf({ hasSearch }: Pick<ResolvedCluster, "hasSearch">): readonly Component[] {
  return components.filter((component) => component !== "search" || hasSearch);
}

function resolveMetastore({ database, connection = {}, pdEndpoints = [] }: DeepReadonly<ClusterSpec["metastore"]>) {
  return {
    database,
    /** Undefined without PostgreSQL. */
    postgres:
      database === "postgres"
        ? {
            host: connection.host ?? "postgres",
            port: connection.port ?? 5432,
            database: connection.database ?? "chronik",
            credentialsSecret: connection.credentialsSecret ?? "chronik-postgres-secret",
          }
        : undefined,
    /** Empty without TiKV. */
    pdEndpoints,
  };
}

/** Merges the security contexts of the spec over the defaults, which satisfy the Pod Security level `restricted`. */
function resolveSecurity(security: DeepReadonly<ClusterSpec["security"]>) {
  return {
    /** Undefined without TLS. */
    tls:
      security.tlsEnabled && security.tlsSecret !== undefined
        ? { secret: security.tlsSecret, isMutual: security.mtlsEnabled }
        : undefined,
    pod: {
      runAsNonRoot: true,
      runAsUser: 1000,
      runAsGroup: 1000,
      fsGroup: 1000,
      fsGroupChangePolicy: "OnRootMismatch",
      seccompProfile: { type: "RuntimeDefault" },
      ...security.podSecurityContext,
    },
    container: {
      allowPrivilegeEscalation: false,
      privileged: false,
      readOnlyRootFilesystem: true,
      runAsNonRoot: true,
      ...security.containerSecurityContext,
      capabilities: { drop: security.containerSecurityContext?.capabilities?.drop ?? ["ALL"] },
    },
    automountToken: security.automountServiceAccountToken,
    adminApiKey: security.adminApiKeySecret,
  } as const;
}

function restartOf(given: Readonly<Record<string, string>> = {}, component: Component): string | undefined {
  const chosen = given[annotations.restartComponents];
  const isChosen = chosen === undefined || chosen.split(",").some((word) => word.trim() === component);
  return isChosen ? given[annotations.restart] : undefined;
}
