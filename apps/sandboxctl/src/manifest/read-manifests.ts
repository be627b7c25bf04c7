import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { UsageError } from "@homeostat/core";
import type { CommandContext } from "../command/context.ts";
import { type Manifest, parseManifests } from "./manifests.ts";
import { readSource, sourceName } from "./read-source.ts";
import { prepareText, type Variables } from "./variables.ts";

/** Largest file that `@{embed: path}` may name, in bytes. */
const embeddedBytesMax = 1024 * 1024;

/** Options of {@link readManifests}. */
export interface ReadManifestsOptions {
  readonly files: readonly string[];
  readonly variables: Variables;
  readonly namespace: string;
  /** Kind of all objects. */
  readonly kind: string;
  /** Words of the command, for messages. */
  readonly words: string;
}

/** Reads the objects of files, with their variables. Throws a {@link UsageError} if one is of another kind. */
export async function readManifests(
  { files, variables, namespace, kind, words }: ReadManifestsOptions,
  context: Pick<CommandContext, "readInput" | "signal">,
): Promise<readonly Manifest[]> {
  const manifests: Manifest[] = [];
  const used = new Set<string>();
  for (const file of files) {
    const source = sourceName(file);
    const folder = file === "-" ? "." : dirname(file);
    const prepared = await prepareText(await readSource(file, context), {
      source,
      variables,
      readEmbedded: (path) => readEmbedded(resolve(folder, path), source),
    });
    for (const name of prepared.used) used.add(name);
    manifests.push(...parseManifests(prepared.text, source, namespace, prepared.resolve));
  }
  const unused = [...variables.keys()].filter((name) => !used.has(name));
  if (unused.length > 0) throw new UsageError(`${files.join(", ")} does not use the variables ${unused.join(", ")}.`);
  const other = manifests.find((each) => each.kind !== kind);
  if (other !== undefined) {
    throw new UsageError(
      `${files.join(", ")} contains ${other.kind} ${other.metadata.name ?? ""}; sandboxctl ${words} accepts objects of the kind ${kind} only. Use kubectl apply for others.`,
    );
  }
  if (manifests.length === 0) throw new UsageError(`${files.join(", ")} contains no object.`);
  return manifests;
}

async function readEmbedded(path: string, source: string): Promise<string> {
  try {
    const content = await readFile(path);
    if (content.length <= embeddedBytesMax) return content.toString("utf8");
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error)) throw error;
    throw new UsageError(`${source} embeds ${path}, which cannot be read: ${error.message}.`, { cause: error });
  }
  throw new UsageError(`${source} embeds ${path}, which is larger than ${embeddedBytesMax / 1024 / 1024} MiB.`);
}
