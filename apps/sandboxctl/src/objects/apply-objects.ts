// Applies the objects of manifests: `sandbox apply` and `routegroup apply`.

import type { KubeObject, ResourceType } from "@homeostat/core";
import { diffObjects, formatDiff } from "@homeostat/sandbox-operator";
import type { Cluster, CommandContext } from "../command/context.ts";
import { exitCodes } from "../command/errors.ts";
import type { CommandInput } from "../command/input.ts";
import { type applyFlags, dryRunChoices, type filenameFlag } from "../command/shared-flags.ts";
import type { Manifest } from "../manifest/manifests.ts";
import { readManifests } from "../manifest/read-manifests.ts";
import { requiredFiles } from "../manifest/read-source.ts";
import { readVariables } from "../manifest/variables.ts";
import { printValue } from "../output/print-objects.ts";
import { fieldManager } from "./field-manager.ts";

/** The kind-specific parts of an apply command. */
export interface ApplyPlan<T> {
  readonly type: ResourceType<T & KubeObject>;
  /** First word of the commands of the kind, such as `sandbox`. */
  readonly word: string;
  /** Waits until an object is ready. */
  readonly wait: (cluster: Cluster, name: string, timeoutMs: number, context: CommandContext) => Promise<T>;
}

type ApplyInput = CommandInput<typeof applyFlags & typeof filenameFlag>;

/** Applies the objects of files and waits until they are ready. Returns the exit code. */
export async function applyObjects<T extends KubeObject>(
  { type, word, wait }: ApplyPlan<T>,
  input: ApplyInput,
  context: CommandContext,
): Promise<number> {
  const words = `${word} apply`;
  const files = requiredFiles(input.texts("filename"), words);
  const variables = readVariables(input.texts("set"));
  const dryRun = input.optional("dry-run", dryRunChoices);
  using cluster = await context.connect(input.connection);
  const manifests = await readManifests(
    { files, variables, namespace: cluster.namespace, kind: type.kind, words },
    context,
  );
  if (dryRun === "client") {
    for (const manifest of manifests) printResult(manifest, "would be applied (not checked)", input, context, word);
    return exitCodes.done;
  }
  const { client } = cluster;
  // A manifest may contain any fields; the API server validates them.
  const kind: ResourceType = type;
  const options = { signal: context.signal, fieldManager, force: true };
  for (const manifest of manifests) {
    const place = { namespace: manifest.metadata.namespace ?? cluster.namespace, name: manifest.metadata.name ?? "" };
    const before = await client.get(type, place, { signal: context.signal });
    if (input.isSet("diff") || dryRun === "server") {
      const after = await client.apply(
        kind,
        { ...manifest, metadata: { ...manifest.metadata, name: place.name } },
        { ...options, dryRun: true },
      );
      if (input.isSet("diff")) context.print(diffText(specOf(before), specOf(after)));
      else printResult(after, before === undefined ? "would be created" : "would be changed", input, context, word);
      continue;
    }
    const applied = await client.apply(
      kind,
      { ...manifest, metadata: { ...manifest.metadata, name: place.name } },
      options,
    );
    const isChanged = before?.metadata.resourceVersion !== applied.metadata.resourceVersion;
    const verb = before === undefined ? "created" : isChanged ? "changed" : "unchanged";
    if (input.output === "table") printResult(applied, verb, input, context, word);
    const done = input.isSet("wait")
      ? await wait(
          { ...cluster, namespace: place.namespace },
          place.name,
          input.durationMs("wait-timeout") ?? 0,
          context,
        )
      : applied;
    if (input.output !== "table") printResult(done, verb, input, context, word);
    else if (input.isSet("wait")) context.print(`${word}/${place.name} ready`);
  }
  return exitCodes.done;
}

function diffText(before: unknown, after: unknown): string {
  return formatDiff(diffObjects(before, after)).trimEnd() || "No differences";
}

function specOf(object: KubeObject | undefined): unknown {
  return object !== undefined && "spec" in object ? object.spec : undefined;
}

/** Prints an object after a change, in the format of the command line. */
export function printResult(
  object: KubeObject | Manifest,
  verb: string,
  { output }: { readonly output: string },
  { print }: Pick<CommandContext, "print">,
  word: string,
): void {
  const name = `${word}/${object.metadata.name ?? ""}`;
  if (output === "json" || output === "yaml") printValue(object, output, print);
  else print(output === "name" ? name : `${name} ${verb}`);
}
