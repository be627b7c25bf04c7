import type { Clock } from "@homeostat/core";
import type { Material } from "../kubeconfig/kubeconfig.ts";
import type { FileReader } from "./files.ts";
import { WatchedFile } from "./watched-file.ts";

/** A text that may change while we run. */
export interface TextSource {
  /** The text as it is now, as far as we know. */
  text(): Promise<string>;
  /** The same at once; undefined when it has to be looked up. */
  known(): string | undefined;
  /** Makes the next call of `text` look again. */
  forget(): void;
}

/** The source of a certificate, key or token: what the kubeconfig says, or the file it names. */
export function textOf(material: Material, options: { files: FileReader; clock: Clock }): TextSource {
  if ("path" in material) return new WatchedFile(material.path, options);
  const { data } = material;
  return { text: () => Promise.resolve(data), known: () => data, forget: () => undefined };
}
