import type { DeepReadonly } from "@homeostat/core";
import type { KeyToPath, Volume } from "@homeostat/kubernetes/core/v1";
import type { ConfigReader } from "./pod-config.ts";
import type { ContainerView, PodView } from "./pod-view.ts";

/** A ConfigMap or Secret that a volume contains. */
interface Source {
  readonly data: ReadonlyMap<string, string> | undefined;
  readonly items: DeepReadonly<readonly KeyToPath[]> | undefined;
}

/** Returns the files of mounted ConfigMaps and Secrets in a container, by path. */
export function mountedFiles(
  pod: PodView,
  container: ContainerView,
  config: ConfigReader,
): ReadonlyMap<string, string> {
  const namespace = pod.metadata.namespace ?? "";
  const files = new Map<string, string>();
  for (const { name, mountPath, subPath } of container.volumeMounts ?? []) {
    const volume = pod.spec?.volumes?.find((one) => one.name === name);
    for (const { data, items } of volume === undefined ? [] : sourcesOf(volume, namespace, config)) {
      for (const { key, path } of items ?? [...(data?.keys() ?? [])].map((key) => ({ key, path: key }))) {
        const text = data?.get(key);
        if (text === undefined) continue;
        if (subPath === undefined) files.set(`${mountPath}/${path}`, text);
        else if (subPath === path) files.set(mountPath, text);
      }
    }
  }
  return files;
}

function sourcesOf(
  { configMap, secret, projected }: DeepReadonly<Volume>,
  namespace: string,
  config: ConfigReader,
): readonly Source[] {
  if (configMap !== undefined)
    return [{ data: config.configMap(namespace, configMap.name ?? ""), items: configMap.items }];
  if (secret !== undefined) return [{ data: config.secret(namespace, secret.secretName ?? ""), items: secret.items }];
  return (projected?.sources ?? []).map((source) =>
    source.configMap === undefined
      ? { data: config.secret(namespace, source.secret?.name ?? ""), items: source.secret?.items }
      : { data: config.configMap(namespace, source.configMap.name ?? ""), items: source.configMap.items },
  );
}
