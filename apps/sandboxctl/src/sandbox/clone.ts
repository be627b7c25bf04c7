import { AlreadyExistsError } from "@homeostat/core";
import { Sandbox } from "@homeostat/sandbox-operator";
import type { CommandContext } from "../command/context.ts";
import { CommandError, exitCodes } from "../command/errors.ts";
import type { Flags } from "../command/flags.ts";
import type { CommandInput } from "../command/input.ts";
import { printResult } from "../objects/apply-objects.ts";
import { fieldManager } from "../objects/field-manager.ts";
import { readObject } from "../objects/read-object.ts";

/** Creates a copy of a sandbox. */
export async function cloneSandbox(input: CommandInput<Flags>, context: CommandContext): Promise<number> {
  using cluster = await context.connect(input.connection);
  const { client, namespace } = cluster;
  const { signal } = context;
  const name = input.argument("NEW");
  const next = `sandboxctl sandbox list -n ${namespace}`;
  const source = await readObject(Sandbox, { client, namespace, name: input.argument("NAME"), signal, next });
  // Keys and hosts belong to one sandbox only.
  const { routingKey: _key, endpoints, ...spec } = source.spec;
  const copied = { ...spec, endpoints: endpoints.map(({ host: _host, ...endpoint }) => endpoint) };
  const { labels } = source.metadata;
  const metadata = { name, namespace, ...(labels !== undefined && { labels }) };
  try {
    const created = await client.create(Sandbox, Sandbox.make({ metadata, spec: copied }), { signal, fieldManager });
    printResult(created, "created", input, context, "sandbox");
  } catch (error) {
    if (!(error instanceof AlreadyExistsError)) throw error;
    throw new CommandError(`Sandbox ${namespace}/${name} already exists; choose another name`, exitCodes.error, {
      cause: error,
    });
  }
  return exitCodes.done;
}
