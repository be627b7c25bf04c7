import { UsageError } from "@homeostat/core";
import { Sandbox } from "@homeostat/sandbox-operator";
import type { CommandContext } from "../command/context.ts";
import { durationMsOf, durationText } from "../command/duration.ts";
import { CommandError, exitCodes } from "../command/errors.ts";
import type { Flags } from "../command/flags.ts";
import type { CommandInput } from "../command/input.ts";
import { changeSpec } from "../objects/change-object.ts";
import { fieldManager } from "../objects/field-manager.ts";
import { readObject } from "../objects/read-object.ts";

/** Adds a time to the lifetime of a sandbox. */
export async function extendSandbox(input: CommandInput<Flags>, context: CommandContext): Promise<number> {
  const text = input.argument("TIME");
  const addedMs = durationMsOf(text) ?? 0;
  if (addedMs < 1_000) throw new UsageError(`TIME is ${JSON.stringify(text)}; it must be a duration such as 4h or 2d.`);
  using cluster = await context.connect(input.connection);
  const { client, namespace } = cluster;
  const { signal } = context;
  const name = input.argument("NAME");
  const next = `sandboxctl sandbox list -n ${namespace}`;
  const { spec } = await changeSpec(Sandbox, { client, namespace, name, signal, next }, (sandbox) => {
    const ttlMs = durationMsOf(String(sandbox.spec.ttl)) ?? 0;
    if (ttlMs === 0)
      throw new CommandError(`Sandbox ${namespace}/${name} never expires; nothing to extend`, exitCodes.error);
    return { ttl: Math.round((ttlMs + addedMs) / 1_000) };
  });
  const ttl = Number(spec.ttl);
  context.print(
    `sandbox/${name} extended by ${durationText(addedMs)} to ${durationText(ttl * 1_000)} from ${spec.ttlFrom}`,
  );
  return exitCodes.done;
}

/** Suspends a sandbox. */
export async function suspendSandbox(input: CommandInput<Flags>, context: CommandContext): Promise<number> {
  return setSuspended(input, context, { suspend: true, verb: "suspended" });
}

/** Resumes a suspended sandbox. */
export async function resumeSandbox(input: CommandInput<Flags>, context: CommandContext): Promise<number> {
  return setSuspended(input, context, { suspend: false, verb: "resumed" });
}

async function setSuspended(
  input: CommandInput<Flags>,
  context: CommandContext,
  { suspend, verb }: { readonly suspend: boolean; readonly verb: string },
): Promise<number> {
  using cluster = await context.connect(input.connection);
  const { client, namespace } = cluster;
  const { signal } = context;
  const name = input.argument("NAME");
  const next = `sandboxctl sandbox list -n ${namespace}`;
  const {
    metadata: { uid = "" },
    spec,
  } = await readObject(Sandbox, { client, namespace, name, signal, next });
  if (spec.suspend === suspend) {
    context.print(`sandbox/${name} is already ${verb}`);
    return exitCodes.done;
  }
  const merge = { metadata: { uid }, spec: { suspend } };
  await client.patch(Sandbox, { namespace, name }, { merge }, { signal, fieldManager });
  context.print(`sandbox/${name} ${verb}`);
  return exitCodes.done;
}
