import { UsageError } from "@homeostat/core";
import { checkManifest, isCheckedKind, type ManifestCheck, readOwnUser } from "@homeostat/sandbox-operator";
import { readConfig } from "../command/cluster.ts";
import type { CommandContext } from "../command/context.ts";
import { exitCodes } from "../command/errors.ts";
import type { CommandInput } from "../command/input.ts";
import { type Manifest, parseManifests } from "../manifest/manifests.ts";
import { readSource, requiredFiles, sourceName } from "../manifest/read-source.ts";
import type { policyCheckFlags } from "./definitions.ts";

/** The verdict about one object of a file. */
export interface ObjectVerdict extends ManifestCheck {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** Checks the objects of files, and prints what would be created, denied and routed. Returns the exit code. */
export async function policyCheck(
  input: CommandInput<typeof policyCheckFlags>,
  context: CommandContext,
): Promise<number> {
  const files = requiredFiles(input.texts("filename"), "policy check");
  using cluster = await context.connect(input.connection);
  const { client, namespace } = cluster;
  const manifests: Manifest[] = [];
  for (const file of files) {
    manifests.push(...parseManifests(await readSource(file, context), sourceName(file), namespace));
  }
  const checked = manifests.filter(isCheckedKind);
  if (checked.length === 0) {
    throw new UsageError(
      `${files.join(", ")}: no object to check; use Sandboxes, RouteGroups, LocalWorkloads or SandboxPolicies.`,
    );
  }
  const { signal } = context;
  const [config, user] = await Promise.all([readConfig(client, context), readOwnUser(client, signal)]);
  const verdicts: ObjectVerdict[] = [];
  for (const manifest of checked) {
    const others = manifests.filter((each) => each !== manifest);
    const verdict = await checkManifest(manifest, {
      client,
      config,
      user,
      others,
      signal,
      limitMs: input.connection.timeoutMs,
    });
    const { kind, metadata } = manifest;
    verdicts.push({ kind, namespace: metadata.namespace ?? "", name: metadata.name ?? "", ...verdict });
  }
  if (input.output === "json") context.print(JSON.stringify({ objects: verdicts.map(jsonOf) }, undefined, 2));
  else for (const line of verdicts.flatMap(verdictLines)) context.print(line);
  return verdicts.some(({ denials }) => denials.length > 0) ? exitCodes.refused : exitCodes.done;
}

const labels = { create: "creates", route: "routes", unroute: "unroutes", conflict: "conflict", include: "includes" };

/** Returns the lines of a verdict. */
export function verdictLines({
  kind,
  namespace,
  name,
  denials,
  warnings,
  effects,
  unchecked,
}: ObjectVerdict): string[] {
  const row = (label: string, text: string): string => `  ${label.padEnd(9)} ${text}`;
  return [
    `${kind} ${namespace}/${name}: ${denials.length === 0 ? "allowed" : "denied"}`,
    ...denials.map(({ path, message }) => row("denied", `${path}: ${message}`)),
    ...effects.map(({ effect, text }) => row(labels[effect], withoutVerb(text))),
    ...warnings.map(({ path, message }) => row("warning", `${path}: ${message}`)),
    ...unchecked.map((reason) => row("unchecked", reason)),
  ];
}

/** The label of a line has the verb. */
function withoutVerb(text: string): string {
  return text.replace(/^(?:create|route|stop routing|include) /, "");
}

function jsonOf({ kind, namespace, name, denials, warnings, effects, unchecked }: ObjectVerdict): object {
  return {
    kind,
    namespace,
    name,
    allowed: denials.length === 0,
    denials: denials.map(({ path, code, message }) => ({ path, code, message })),
    warnings: warnings.map(({ path, message }) => ({ path, message })),
    effects,
    unchecked,
  };
}
