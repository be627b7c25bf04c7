import type { Clock } from "@homeostat/core";
import type { Material } from "../kubeconfig/kubeconfig.ts";
import type { FileReader } from "./files.ts";
import { WatchedFile } from "./watched-file.ts";

/** A text that may change at run time. */
export interface TextSource {
  /** Returns the text, from the cache or by reading the file. */
  text(): Promise<string>;
  /** Returns the text without waiting; undefined if the file must be read first. */
  cached(): string | undefined;
  /** Makes the next call of `text` read the file again. */
  forget(): void;
}

/** Returns the source of a certificate, key or token: inline data of the kubeconfig, or the file that it names. */
export function textOf(material: Material, options: { files: FileReader; clock: Clock }): TextSource {
  if ("path" in material) return new WatchedFile(material.path, options);
  const { data } = material;
  return { text: () => Promise.resolve(data), cached: () => data, forget: () => undefined };
}
