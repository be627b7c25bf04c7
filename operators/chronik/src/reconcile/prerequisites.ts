import { StorageClass } from "@homeostat/kubernetes/storage/v1";
import type { Component } from "../api/identity.ts";
import { labels } from "../api/labels.ts";
import { componentsOf } from "../build/resolve.ts";
import { type SecretData, secretKeys } from "../build/secrets.ts";
import type { ObservedCertificate } from "../observe/observed.ts";
import type { NodesByName } from "../observe/nodes.ts";
import { podsOf } from "../observe/observe.ts";
import { certificateOf, secretText } from "../observe/secrets.ts";
import { isFeatureOn } from "../settings/settings.ts";
import { missingPrerequisites, prerequisitesOf, waitingComponents } from "../validation/prerequisites.ts";
import type { ClusterContext } from "./cluster-context.ts";

/** Objects that the cluster refers to. */
export interface Found {
  readonly secrets: SecretData;
  /** Messages about missing objects. */
  readonly missing: readonly string[];
  /** Components whose workloads cannot start. */
  readonly waiting: ReadonlySet<Component>;
  readonly certificates: readonly ObservedCertificate[];
  /** True if the Secret of the certificate, or its key, does not exist. */
  readonly isCertificateMissing: boolean;
  readonly apiKey: string | undefined;
  /** Number of zones of the nodes; undefined unless the feature ZoneSpread is on. */
  readonly zones: number | undefined;
  /** Nodes of the pods; empty unless the feature NodeDetails is on. */
  readonly nodes: NodesByName;
}

/** Reads the objects that the cluster refers to. */
export async function readPrerequisites(context: ClusterContext): Promise<Found> {
  const { runtime, resolved, dependencies, settings } = context;
  const { client, namespace, signal, clock } = runtime;
  const needed = prerequisitesOf(resolved);
  const secrets = await dependencies.secrets.read(
    { client, namespace, signal, clock },
    needed.secrets.map(({ name }) => name),
  );
  // The StorageClass is only needed when volumes are created, that is, until the StatefulSets exist.
  const isNew = runtime.owned.statefulSets.list().length === 0;
  const { storageClass } = needed;
  const hasStorageClass =
    storageClass === undefined ||
    !isNew ||
    (await client.get(StorageClass, { name: storageClass }, { signal })) !== undefined;
  const missing = missingPrerequisites(needed, { secrets, hasStorageClass });
  const { tls, adminApiKey } = resolved.security;
  const pem = tls && secretText(secrets(tls.secret), secretKeys.tls.certificate);
  const certificate = tls && certificateOf(tls.secret, pem);
  const zones = isFeatureOn(settings, "ZoneSpread")
    ? await dependencies.zones.count({ client, signal, clock })
    : undefined;
  return {
    secrets,
    zones,
    nodes: await readNodes(context),
    missing,
    waiting: new Set<Component>(hasStorageClass ? waitingComponents(resolved, secrets) : componentsOf(resolved)),
    certificates: certificate === undefined ? [] : [certificate],
    isCertificateMissing: tls !== undefined && (pem === undefined || pem === ""),
    apiKey: adminApiKey && secretText(secrets(adminApiKey.name), adminApiKey.key),
  };
}

/** Reads the nodes on which search nodes run, for their zones, and those of ingest nodes, if clients connect to nodes. */
async function readNodes({ runtime, resolved, settings, dependencies }: ClusterContext): Promise<NodesByName> {
  if (!isFeatureOn(settings, "NodeDetails")) return new Map();
  const used = new Set<string | undefined>([
    ...(resolved.network.serviceType === "NodePort" ? ["ingest"] : []),
    ...(resolved.hasSearch ? ["search"] : []),
  ]);
  const names = podsOf(runtime).flatMap(({ metadata, spec }) =>
    spec?.nodeName !== undefined && used.has(metadata.labels?.[labels.clusterComponent]) ? [spec.nodeName] : [],
  );
  return dependencies.nodes.read(runtime, names);
}
