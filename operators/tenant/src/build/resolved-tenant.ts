// Everything that is wanted of a tenant, said in full: no default is left to be filled in.

import type { DeepReadonly } from "@homeostat/core";
import type { Affinity, EnvVar, PullPolicy, ResourceRequirements, Toleration } from "@homeostat/kubernetes/core/v1";
import type { AccessSubject, NetworkRule } from "../api/tenant.ts";

/** A map from texts to texts that is only read. */
export type Texts = Readonly<Record<string, string>>;

/** What is wanted of one tenant. Builders read this, and never the tenant itself. */
export interface Wanted {
  /** The name of the tenant. */
  readonly name: string;
  readonly namespace: string;
  /** Labels and annotations of the namespace that the tenant asks for, beside ours. */
  readonly namespaceMetadata: { readonly labels: Texts; readonly annotations: Texts };
  readonly podSecurity: WantedPodSecurity;
  /** Undefined when the tenant says nothing about what it may use in total. */
  readonly quota: WantedQuota | undefined;
  /** Undefined when the tenant is not closed off. */
  readonly network: WantedNetwork | undefined;
  readonly access: Readonly<Record<AccessRole, readonly DeepReadonly<AccessSubject>[]>>;
  readonly redis: WantedRedis;
  readonly server: WantedServer;
  /** Whether no pods are to run. */
  readonly isHibernated: boolean;
}

/** What people may do in the namespace of a tenant. */
export type AccessRole = "admin" | "editor" | "viewer";

/** What the namespace holds its pods to. */
export interface WantedPodSecurity {
  readonly enforce: string;
  readonly audit: string;
  readonly warn: string;
  readonly version: string;
}

/** What the tenant may use in total, and what its containers get that say nothing. */
export interface WantedQuota {
  /** As a ResourceQuota has it. */
  readonly hard: Texts;
  readonly containerDefault: Texts;
  readonly containerDefaultRequest: Texts;
}

/** Who may talk with the tenant. */
export interface WantedNetwork {
  readonly allowedNamespaces: readonly string[];
  readonly ingressRules: readonly DeepReadonly<NetworkRule>[];
  readonly egressRules: readonly DeepReadonly<NetworkRule>[];
  readonly dns: {
    readonly namespaces: readonly string[];
    readonly podLabels: Texts;
    readonly cidrs: readonly string[];
    readonly ports: readonly number[];
  };
  /** Where the authentication service is; undefined when the operator was not told. */
  readonly auth: { readonly namespace: string; readonly port: number } | undefined;
  /** Namespaces that may scrape, and the ports they may scrape; undefined when nobody may. */
  readonly monitoring: { readonly namespaces: readonly string[]; readonly ports: readonly number[] } | undefined;
}

/** Where pods may run. */
export interface WantedPlacement {
  readonly nodeSelector: Texts;
  readonly tolerations: readonly DeepReadonly<Toleration>[];
  readonly affinity: DeepReadonly<Affinity> | undefined;
}

/** What the pods of both components have in common. */
export interface WantedPods {
  readonly image: string;
  readonly imagePullPolicy: PullPolicy;
  readonly imagePullSecrets: readonly string[];
  readonly resources: DeepReadonly<ResourceRequirements>;
  readonly placement: WantedPlacement;
  readonly graceSeconds: number;
}

/** What is wanted of Redis. */
export interface WantedRedis extends WantedPods {
  readonly replicas: number;
  readonly mode: "standalone" | "replication";
  /** The name by which clients in the namespace reach the master. */
  readonly host: string;
  readonly storage: string;
  readonly storageClassName: string | undefined;
  /** Whether the data is kept in a claim, or goes with the pod. */
  readonly isPersistent: boolean;
  readonly settings: WantedRedisSettings;
  /** Undefined when clients need no password. */
  readonly security: WantedRedisSecurity | undefined;
  /** Undefined when there is no exporter beside Redis. */
  readonly exporter: WantedExporter | undefined;
}

/** What `redis.conf` is made from. */
export interface WantedRedisSettings {
  readonly databases: number;
  readonly tcpKeepalive: number;
  readonly maxmemoryMegabytes: bigint;
  readonly maxmemoryPolicy: string;
  readonly persistence: "aof" | "rdb" | "both";
  readonly fsync: string;
  readonly savePoints: readonly string[];
  /** Directives of the user. They win over all others. */
  readonly config: Texts;
}

/** Where the password of Redis comes from, and how often it is changed. */
export interface WantedRedisSecurity {
  /** Undefined when the operator makes the password. */
  readonly authSecret: { readonly namespace: string; readonly name: string; readonly key: string } | undefined;
  /** Undefined when only people ask for a new password. */
  readonly rotationIntervalMs: number | undefined;
}

/** The exporter beside Redis. */
export interface WantedExporter {
  readonly image: string;
  readonly port: number;
  readonly resources: DeepReadonly<ResourceRequirements>;
  /** What its pods say to who collects metrics; undefined when they say nothing. */
  readonly scrape: WantedScrape | undefined;
}

/** How a container is asked whether it is well. */
export interface WantedProbe {
  readonly path: string;
  readonly port: number;
  readonly initialDelaySeconds: number;
  readonly periodSeconds: number;
  readonly timeoutSeconds: number;
  readonly successThreshold: number;
  readonly failureThreshold: number;
}

/** What pods say to who collects metrics. */
export interface WantedScrape {
  readonly port: number;
  readonly path: string;
  /** Undefined to leave it to who collects. */
  readonly interval: string | undefined;
}

/** What is wanted of the server. */
export interface WantedServer extends WantedPods {
  readonly replicas: number;
  readonly strategy:
    | { readonly type: "Recreate" }
    | {
        readonly type: "RollingUpdate";
        readonly maxUnavailable: number | string;
        readonly maxSurge: number | string;
      };
  readonly logLevel: string;
  /** Undefined when the operator was not told where the authentication service is. */
  readonly authUrl: string | undefined;
  /** The user's variables. */
  readonly env: readonly DeepReadonly<EnvVar>[];
  readonly security: {
    readonly runAsUser: number;
    readonly runAsGroup: number;
    readonly fsGroup: number;
    readonly runAsNonRoot: boolean;
    readonly readOnlyRootFilesystem: boolean;
    readonly allowPrivilegeEscalation: boolean;
    readonly drop: readonly string[];
  };
  readonly probes: {
    readonly liveness: WantedProbe;
    readonly readiness: WantedProbe;
    readonly startup: WantedProbe | undefined;
  };
  /** What the pods say to who collects metrics; undefined when they say nothing. */
  readonly scrape: WantedScrape | undefined;
}
