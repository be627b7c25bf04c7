// `@homeostat/client/manifests`. It has a subpath of its own because it loads the YAML parser, which a program in a pod does not need.

import { UsageError } from "@homeostat/core";
import { parseAllDocuments } from "yaml";

/** Largest text of a manifest file, in characters. */
const lengthMax = 4 * 1024 * 1024;

/**
 * Parses the YAML or JSON documents of a manifest file. An empty document is null or undefined. Throws a {@link UsageError} that names the file.
 *
 * @example
 * const [deployment] = manifestDocuments(await readFile("shop.yaml", "utf8"), "shop.yaml");
 */
export function manifestDocuments(text: string, source: string): readonly unknown[] {
  if (text.length > lengthMax) throw new UsageError(`${source} is larger than ${lengthMax / 1024 / 1024} MiB.`);
  const documents = parseAllDocuments(text);
  if (!Array.isArray(documents)) return [];
  for (const { errors } of documents) {
    const [error] = errors;
    if (error === undefined) continue;
    const [message = ""] = error.message.split("\n");
    throw new UsageError(`${source} is not valid YAML: ${message.replace(/:$/, "")}.`, { cause: error });
  }
  try {
    return documents.map((document): unknown => document.toJS());
  } catch (error) {
    // Thrown for an excessive number of aliases.
    const message = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${source} is not valid YAML: ${message}.`, { cause: error });
  }
}
