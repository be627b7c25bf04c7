import type { DeepReadonly } from "@homeostat/core";
import type { EnvVarSource, KeyToPath, Volume } from "@homeostat/kubernetes/core/v1";
import type { ContainerView, PodView } from "./pod-view.ts";

/** Access to the ConfigMaps and Secrets that pods use. */
export interface ConfigReader {
  /** Returns the data of a ConfigMap; undefined when it does not exist. */
  configMap(namespace: string, name: string): ReadonlyMap<string, string> | undefined;
  /** Returns the decoded data of a Secret; undefined when it does not exist. */
  secret(namespace: string, name: string): ReadonlyMap<string, string> | undefined;
  /** Returns the name of the persistent volume that a claim is bound to; undefined when it is not bound. Default: no claim is. */
  volumeOfClaim?(namespace: string, name: string): string | undefined;
}

type ConfigKind = "configmap" | "secret";

/** A volume that cannot be mounted, and the error. */
export interface VolumeProblem {
  readonly volume: string;
  readonly problem: string;
}

// ConfigMap with the root certificates, mounted into every pod. Not every cluster has a controller that publishes it,
// and pods must start without it.
const clusterCertificates = "kube-root-ca.crt";

/** Returns the volumes of a pod that cannot be mounted, with the messages of the kubelet. */
export function volumeProblems(pod: PodView, config: ConfigReader): readonly VolumeProblem[] {
  const namespace = pod.metadata.namespace ?? "";
  return (pod.spec?.volumes ?? []).flatMap((volume) => {
    const problem = volumeProblem(volume, namespace, config);
    return problem === undefined ? [] : [{ volume: volume.name, problem }];
  });
}

/**
 * Returns the kubelet's message about a missing ConfigMap, Secret or key of a container's environment; undefined when
 * nothing is missing.
 */
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

/** Addresses that a pod can read through the downward API. */
export interface PodAddresses {
  readonly ip: string;
  readonly hostIP: string;
}

/**
 * Returns the environment of a container: its own variables and those from ConfigMaps, Secrets and the downward API.
 */
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

/** Expands `$(NAME)` references. Unknown references stay as they are, and `$$` becomes `$`. */
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

/** Returns the value of a downward API field such as `metadata.labels['app']`; empty for unsupported fields. */
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
  const exists =
    (kind === "configmap" ? config.configMap(namespace, name) : config.secret(namespace, name)) !== undefined;
  return exists || optional === true ? undefined : `${kind} "${name}" not found`;
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
