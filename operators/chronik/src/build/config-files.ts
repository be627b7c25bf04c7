// The contents of the configuration files.

import { memberAddress, names, nodeId, ports } from "../api/names.ts";
import type { Component, StatefulComponent } from "../api/identity.ts";
import { digestOf } from "./hashes.ts";
import type { ResolvedCluster } from "./resolve.ts";
import { type TomlTable, toToml } from "./toml.ts";

export const dataFolder = "/var/lib/chronik";
export const metadataFolder = `${dataFolder}/metadata`;
export const indexFolder = `${dataFolder}/index`;

const anyAddress = (port: number): string => `0.0.0.0:${port}`;

export const bindAddresses: Readonly<Record<Component, string>> = {
  controller: anyAddress(ports.controller),
  ingest: anyAddress(ports.kafka),
  search: anyAddress(ports.search),
};

/** The members of the Raft group, as the operator knows them. */
export interface Membership {
  /** Grows by one with every change of the members. */
  readonly epoch: number;
  /** Ordinals of the voters. */
  readonly voters: readonly number[];
  /** Number of voters to reach. */
  readonly target: number;
}

/** Returns the keys of the ConfigMap that all components share. */
export function sharedConfig(resolved: ResolvedCluster): Record<string, string> {
  const { storage, metastore, monitoring, security, tuning } = resolved;
  const { s3, gcs, azure } = storage;
  return {
    "cluster.name": resolved.name,
    "cluster.namespace": resolved.namespace,
    "storage.backend": storage.backend,
    ...(s3 !== undefined && {
      "storage.s3.bucket": s3.bucket,
      "storage.s3.region": s3.region,
      ...(s3.endpoint !== undefined && { "storage.s3.endpoint": s3.endpoint }),
      ...(s3.prefix !== undefined && { "storage.s3.prefix": s3.prefix }),
      "storage.s3.path-style": String(s3.pathStyle),
    }),
    ...(gcs !== undefined && {
      "storage.gcs.bucket": gcs.bucket,
      ...(gcs.prefix !== undefined && { "storage.gcs.prefix": gcs.prefix }),
    }),
    ...(azure !== undefined && {
      "storage.azure.container": azure.container,
      "storage.azure.account": azure.account,
      ...(azure.prefix !== undefined && { "storage.azure.prefix": azure.prefix }),
    }),
    "metastore.database": metastore.database,
    ...(metastore.postgres !== undefined && {
      "metastore.host": metastore.postgres.host,
      "metastore.port": String(metastore.postgres.port),
      "metastore.database-name": metastore.postgres.database,
    }),
    ...(metastore.pdEndpoints.length > 0 && { "metastore.pd-endpoints": metastore.pdEndpoints.join(",") }),
    "monitoring.prometheus.enabled": String(monitoring.prometheus),
    "monitoring.tracing.enabled": String(monitoring.tracing),
    ...(monitoring.tracing &&
      monitoring.otlpEndpoint !== undefined && { "monitoring.otlp.endpoint": monitoring.otlpEndpoint }),
    "security.tls.enabled": String(security.tls !== undefined),
    "security.mtls.enabled": String(security.tls?.isMutual ?? false),
    "replication.factor": String(tuning.replicationFactor),
    "replication.min-insync": String(tuning.minInsyncReplicas),
    "wal.profile": tuning.walProfile,
    "produce.profile": tuning.produceProfile,
    "log.level": tuning.logLevel,
    "auto-recover": String(tuning.autoRecover),
    "columnar.enabled": String(tuning.columnarEnabled),
    "schema-registry.enabled": String(tuning.schemaRegistry.enabled),
    "vector-search.enabled": String(tuning.vectorSearch.enabled),
    ...Object.fromEntries(Object.entries(resolved.config.common).map(([key, value]) => [`extra.${key}`, value])),
  };
}

/** Returns the part of a component's configuration that is the same for all members and does not depend on the number of members. */
function commonTable(resolved: ResolvedCluster, component: Component): TomlTable {
  const { tuning } = resolved;
  const shared = {
    role: component,
    cluster: resolved.name,
    ...(Object.keys(resolved.config[component]).length > 0 && { extra: resolved.config[component] }),
  };
  const servers = { metrics: anyAddress(ports.metrics), health: anyAddress(ports.health) };
  switch (component) {
    case "controller":
      return {
        ...shared,
        data_dir: dataFolder,
        metadata_dir: metadataFolder,
        bind: { grpc: bindAddresses.controller, ...servers },
        raft: { tick_ms: 100, election_timeout_ms: [150, 300] },
      };
    case "ingest":
      return {
        ...shared,
        data_dir: dataFolder,
        replication_factor: tuning.replicationFactor,
        min_insync_replicas: tuning.minInsyncReplicas,
        auto_recover: tuning.autoRecover,
        bind: { kafka: bindAddresses.ingest, ...servers },
        limits: {
          max_connections: 10_000,
          request_timeout_secs: 30,
          idle_timeout_secs: 600,
          backpressure_threshold: 1000,
        },
      };
    case "search":
      return {
        ...shared,
        index_dir: indexFolder,
        bind: { grpc: bindAddresses.search, rest: anyAddress(ports.rest), ...servers },
      };
  }
}

/** Inputs of the files that are not part of the spec. */
export interface FileInput {
  /** Number of members per StatefulSet that need a file. */
  readonly members: Readonly<Record<StatefulComponent, number>>;
  /** True once all controllers have been ready together: no member may found a cluster again. */
  readonly isBootstrapped: boolean;
  readonly membership: Membership;
  /** Addresses for clients outside of the cluster, by ordinal of the ingest node. */
  readonly externalAddresses: Readonly<Record<number, string>>;
}

/** Returns the files of the controllers: one per ordinal, and the list of members. */
export function controllerFiles(resolved: ResolvedCluster, input: FileInput): Record<string, string> {
  const common = commonTable(resolved, "controller");
  return {
    ...ordinalFiles(resolved, "controller", input.members.controller, (ordinal) => ({
      ...common,
      node_id: nodeId(ordinal),
      bootstrap: !input.isBootstrapped,
      advertise: { grpc: memberAddress(resolved, "controller", ordinal) },
    })),
    "members.json": `${JSON.stringify(membersOf(resolved, input.membership))}\n`,
  };
}

/** Returns the files of the ingest nodes: one per ordinal. */
export function ingestFiles(resolved: ResolvedCluster, input: FileInput): Record<string, string> {
  const common = commonTable(resolved, "ingest");
  const controllers = { endpoints: controllerEndpoints(resolved, input) };
  return ordinalFiles(resolved, "ingest", input.members.ingest, (ordinal) => {
    const external = input.externalAddresses[ordinal];
    return {
      ...common,
      node_id: nodeId(ordinal),
      controllers,
      advertise: {
        kafka: memberAddress(resolved, "ingest", ordinal),
        ...(external !== undefined && { external }),
      },
    };
  });
}

/** Returns the file of the search nodes, which are all alike. */
export function searchFiles(resolved: ResolvedCluster, input: FileInput): Record<string, string> {
  const controllers = { endpoints: controllerEndpoints(resolved, input) };
  return { "search.toml": toToml({ ...commonTable(resolved, "search"), controllers }) };
}

function ordinalFiles(
  { name }: ResolvedCluster,
  component: StatefulComponent,
  count: number,
  tableOf: (ordinal: number) => TomlTable,
): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, ordinal) => [
      `${names.member(name, component, ordinal)}.toml`,
      toToml(tableOf(ordinal)),
    ]),
  );
}

function controllerEndpoints(resolved: ResolvedCluster, { members }: FileInput): string[] {
  return Array.from({ length: members.controller }, (_, ordinal) => memberAddress(resolved, "controller", ordinal));
}

function membersOf(resolved: ResolvedCluster, { epoch, voters, target }: Membership) {
  return {
    epoch,
    voters: voters.map((ordinal) => ({
      id: nodeId(ordinal),
      name: names.member(resolved.name, "controller", ordinal),
      address: memberAddress(resolved, "controller", ordinal),
    })),
    target,
  };
}

/**
 * Returns the digest of a component's configuration. It leaves out what members learn at run time: with dynamic membership the
 * number of members and their addresses, and always `bootstrap` and the epoch. Otherwise a scale-up would restart all pods.
 */
export function configHash(
  resolved: ResolvedCluster,
  component: Component,
  { members }: Pick<FileInput, "members">,
): string {
  return digestOf({
    shared: sharedConfig(resolved),
    own: commonTable(resolved, component),
    ...(resolved.membership === "Static" && { controllers: members.controller }),
  });
}
