// Files that volumes mount into a container of the baseline: ConfigMaps, Secrets, projected volumes of both.

import { posix } from "node:path";
import type { Baseline } from "@homeostat/sandbox-operator";
import type { BaselineContainer } from "./containers.ts";
import { problemOf } from "./environment.ts";
import type { Sources } from "./sources.ts";

/** A file of a container. */
export interface MountedFile {
  /** Absolute path in the container. */
  readonly path: string;
  readonly content: Buffer;
  readonly isSecret: boolean;
}

/** Files of a container, and the volumes that were omitted. */
export interface MountedFiles {
  readonly files: readonly MountedFile[];
  readonly omitted: readonly string[];
}

type Volume = NonNullable<Baseline["template"]["spec"]["volumes"]>[number];
type Items = readonly { readonly key: string; readonly path: string }[];

/** A ConfigMap or Secret of a volume. */
interface VolumeSource {
  readonly kind: "ConfigMap" | "Secret";
  readonly name: string;
  /** Undefined for all keys. */
  readonly items: Items | undefined;
  readonly optional: boolean;
}

/** Reads the files that ConfigMaps and Secrets mount into a container. */
export async function readMountedFiles(
  { template }: Baseline,
  container: BaselineContainer,
  sources: Sources,
): Promise<MountedFiles> {
  const files: MountedFile[] = [];
  const omitted: string[] = [];
  for (const { name, mountPath, subPath } of container.volumeMounts ?? []) {
    const volume = template.spec.volumes?.find((each) => each.name === name);
    const found = volume === undefined ? undefined : sourcesOf(volume);
    if (found === undefined) {
      omitted.push(`${mountPath}: volume ${name} is not a ConfigMap or Secret`);
      continue;
    }
    for (const source of found) {
      const content = await sources.read(source.kind, source.name);
      if (typeof content === "string") {
        if (!(content === "missing" && source.optional))
          omitted.push(`${mountPath}: ${source.kind} ${source.name} ${problemOf(content)}`);
        continue;
      }
      const items = source.items ?? [...content.keys()].map((key) => ({ key, path: key }));
      for (const { key, path } of items) {
        const value = content.get(key);
        const place = placeOf(path, { mountPath, subPath });
        if (value === undefined) {
          if (!source.optional) omitted.push(`${mountPath}: ${source.kind} ${source.name} has no key ${key}`);
        } else if (place !== undefined) {
          files.push({ path: place, content: value, isSecret: source.kind === "Secret" });
        }
      }
    }
  }
  return { files, omitted };
}

/** Returns the path of a file in the container; undefined if the mount does not include it. */
function placeOf(
  path: string,
  { mountPath, subPath = "" }: { readonly mountPath: string; readonly subPath: string | undefined },
): string | undefined {
  if (subPath === "") return posix.join(mountPath, path);
  if (path === subPath) return mountPath;
  return path.startsWith(`${subPath}/`) ? posix.join(mountPath, path.slice(subPath.length + 1)) : undefined;
}

function sourcesOf({ configMap, secret, projected }: Volume): readonly VolumeSource[] | undefined {
  if (configMap !== undefined) return [mapSource(configMap)];
  if (secret !== undefined) {
    const { secretName: name = "", items, optional = false } = secret;
    return [{ kind: "Secret", name, items, optional }];
  }
  if (projected === undefined) return undefined;
  // Tokens of ServiceAccounts and fields of the pod exist only in a pod.
  return (projected.sources ?? []).flatMap((source): VolumeSource[] => {
    if (source.configMap !== undefined) return [mapSource(source.configMap)];
    if (source.secret === undefined) return [];
    const { name = "", items, optional = false } = source.secret;
    return [{ kind: "Secret", name, items, optional }];
  });
}

function mapSource({
  name = "",
  items,
  optional = false,
}: {
  readonly name?: string | undefined;
  readonly items?: Items | undefined;
  readonly optional?: boolean | undefined;
}): VolumeSource {
  return { kind: "ConfigMap", name, items, optional };
}
