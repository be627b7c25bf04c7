import type { ConfigReader } from "./pod-config.ts";
import type { ContainerView, PodView } from "./pod-view.ts";

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
    const source = volume?.configMap ?? volume?.secret;
    const data =
      volume?.configMap === undefined
        ? config.secret(namespace, volume?.secret?.secretName ?? "")
        : config.configMap(namespace, volume.configMap.name ?? "");
    if (source === undefined || data === undefined) continue;
    const items = source.items ?? [...data.keys()].map((key) => ({ key, path: key }));
    for (const { key, path } of items) {
      const text = data.get(key);
      if (text === undefined) continue;
      if (subPath === undefined) files.set(`${mountPath}/${path}`, text);
      else if (subPath === path) files.set(mountPath, text);
    }
  }
  return files;
}
