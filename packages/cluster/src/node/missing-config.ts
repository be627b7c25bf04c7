import type { DeepReadonly } from "@homeostat/core";
import type { EnvVarSource, KeyToPath, Volume } from "@homeostat/kubernetes/core/v1";
import type { ContainerView, PodView } from "./pod-view.ts";

/** What a pod may read from the cluster. */
export interface ConfigReader {
  /** The keys of a ConfigMap; undefined when there is no such ConfigMap. */
  configMap(namespace: string, name: string): ReadonlyMap<string, string> | undefined;
  /** The keys of a Secret, decoded; undefined when there is no such Secret. */
  secret(namespace: string, name: string): ReadonlyMap<string, string> | undefined;
}

type ConfigKind = "configmap" | "secret";

/** A volume that cannot be mounted, and why. */
export interface VolumeProblem {
  readonly volume: string;
  readonly problem: string;
}

// Every pod may read it, and who publishes it differs from cluster to cluster: a pod must not hang because nobody does.
const clusterCertificates = "kube-root-ca.crt";

/** The volumes of a pod that cannot be mounted, with the kubelet's words for why. */
export function volumeProblems(pod: PodView, config: ConfigReader): readonly VolumeProblem[] {
  const namespace = pod.metadata.namespace ?? "";
  return (pod.spec?.volumes ?? []).flatMap((volume) => {
    const problem = volumeProblem(volume, namespace, config);
    return problem === undefined ? [] : [{ volume: volume.name, problem }];
  });
}

/** Why a container's environment cannot be made, with the kubelet's words for it; undefined when it can. */
export function environmentProblem(pod: PodView, container: ContainerView, config: ConfigReader): string | undefined {
  const namespace = pod.metadata.namespace ?? "";
  for (const { configMapRef, secretRef } of container.envFrom ?? []) {
    const missing =
      (configMapRef === undefined ? undefined : missingObject("configmap", configMapRef, namespace, config)) ??
      (secretRef === undefined ? undefined : missingObject("secret", secretRef, namespace, config));
    if (missing !== undefined) return missing;
  }
  for (const { valueFrom } of container.env ?? []) {
    const missing = valueFrom === undefined ? undefined : missingKey(valueFrom, namespace, config);
    if (missing !== undefined) return missing;
  }
  return undefined;
}

/** The addresses that a pod may ask for. */
export interface PodAddresses {
  readonly ip: string;
  readonly hostIP: string;
}

/** The environment of a container: its own variables, and what it takes from ConfigMaps, Secrets and the pod. */
export function environmentOf(
  pod: PodView,
  container: ContainerView,
  { config, ...addresses }: PodAddresses & { readonly config: ConfigReader },
): ReadonlyMap<string, string> {
  const namespace = pod.metadata.namespace ?? "";
  const found = new Map<string, string>();
  for (const { prefix = "", configMapRef, secretRef } of container.envFrom ?? []) {
    const data =
      configMapRef === undefined
        ? config.secret(namespace, secretRef?.name ?? "")
        : config.configMap(namespace, configMapRef.name ?? "");
    for (const [key, value] of data ?? []) found.set(prefix + key, value);
  }
  for (const { name, value, valueFrom } of container.env ?? []) {
    if (value !== undefined || valueFrom === undefined) found.set(name, expand(value ?? "", found));
    else
      found.set(
        name,
        keyValue(valueFrom, namespace, config) ?? fieldValue(valueFrom.fieldRef?.fieldPath ?? "", pod, addresses),
      );
  }
  return found;
}

/** Replaces `$(NAME)` by what is known; the rest stays as it is, and `$$` is one `$`. */
export function expand(text: string, known: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\$\$|\$\(([^()]*)\)/g, (whole, name: string | undefined) => {
    if (name === undefined) return "$";
    return known.get(name) ?? whole;
  });
}

function keyValue(
  { configMapKeyRef, secretKeyRef }: DeepReadonly<EnvVarSource>,
  namespace: string,
  config: ConfigReader,
): string | undefined {
  if (configMapKeyRef !== undefined)
    return config.configMap(namespace, configMapKeyRef.name ?? "")?.get(configMapKeyRef.key) ?? "";
  if (secretKeyRef === undefined) return undefined;
  return config.secret(namespace, secretKeyRef.name ?? "")?.get(secretKeyRef.key) ?? "";
}

/** What a pod says of itself under a path such as `metadata.labels['app']`; empty for what is not known. */
function fieldValue(path: string, { metadata, spec }: PodView, { ip, hostIP }: PodAddresses): string {
  const [, map, key = ""] = /^metadata\.(labels|annotations)\['([^']*)'\]$/.exec(path) ?? [];
  if (map !== undefined) {
    const values = (map === "labels" ? metadata.labels : metadata.annotations) ?? {};
    return Object.hasOwn(values, key) ? (values[key] ?? "") : "";
  }
  const fields: ReadonlyMap<string, string | undefined> = new Map([
    ["metadata.name", metadata.name],
    ["metadata.namespace", metadata.namespace],
    ["metadata.uid", metadata.uid],
    ["spec.nodeName", spec?.nodeName],
    ["spec.serviceAccountName", spec?.serviceAccountName],
    ["status.podIP", ip],
    ["status.podIPs", ip],
    ["status.hostIP", hostIP],
    ["status.hostIPs", hostIP],
  ]);
  return fields.get(path) ?? "";
}

interface Reference {
  readonly name?: string | undefined;
  readonly optional?: boolean | undefined;
}

function missingObject(
  kind: ConfigKind,
  { name = "", optional }: Reference,
  namespace: string,
  config: ConfigReader,
): string | undefined {
  const isThere =
    (kind === "configmap" ? config.configMap(namespace, name) : config.secret(namespace, name)) !== undefined;
  return isThere || optional === true ? undefined : `${kind} "${name}" not found`;
}

function missingKey(
  { configMapKeyRef, secretKeyRef }: DeepReadonly<EnvVarSource>,
  namespace: string,
  config: ConfigReader,
): string | undefined {
  const reference = configMapKeyRef ?? secretKeyRef;
  if (reference === undefined || reference.optional === true) return undefined;
  const kind: ConfigKind = configMapKeyRef === undefined ? "secret" : "configmap";
  const missing = missingObject(kind, reference, namespace, config);
  if (missing !== undefined) return missing;
  const { name = "", key } = reference;
  const data = kind === "configmap" ? config.configMap(namespace, name) : config.secret(namespace, name);
  if (data?.has(key) === true) return undefined;
  return `couldn't find key ${key} in ${kind === "configmap" ? "ConfigMap" : "Secret"} ${namespace}/${name}`;
}

function volumeProblem(
  { configMap, secret, projected }: DeepReadonly<Volume>,
  namespace: string,
  config: ConfigReader,
): string | undefined {
  if (configMap !== undefined) return sourceProblem("configmap", configMap, namespace, config);
  if (secret !== undefined) return sourceProblem("secret", { ...secret, name: secret.secretName }, namespace, config);
  for (const source of projected?.sources ?? []) {
    const problem =
      (source.configMap === undefined ? undefined : sourceProblem("configmap", source.configMap, namespace, config)) ??
      (source.secret === undefined ? undefined : sourceProblem("secret", source.secret, namespace, config));
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function sourceProblem(
  kind: ConfigKind,
  source: Reference & { readonly items?: readonly KeyToPath[] | undefined },
  namespace: string,
  config: ConfigReader,
): string | undefined {
  const { name = "", items = [], optional } = source;
  if (kind === "configmap" && name === clusterCertificates && items.every(({ key }) => key === "ca.crt"))
    return undefined;
  const missing = missingObject(kind, source, namespace, config);
  if (missing !== undefined || optional === true) return missing;
  const data = kind === "configmap" ? config.configMap(namespace, name) : config.secret(namespace, name);
  const absent = items.find(({ key }) => data?.has(key) !== true);
  if (absent === undefined || data === undefined) return undefined;
  return kind === "configmap"
    ? `configmap references non-existent config key: ${absent.key}`
    : `references non-existent secret key: ${absent.key}`;
}
