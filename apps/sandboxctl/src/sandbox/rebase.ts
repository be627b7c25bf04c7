import { annotations, Sandbox } from "@homeostat/sandbox-operator";
import type { CommandContext } from "../command/context.ts";
import { CommandError, exitCodes } from "../command/errors.ts";
import type { Flags } from "../command/flags.ts";
import type { CommandInput } from "../command/input.ts";
import { fieldManager } from "../objects/field-manager.ts";
import { readObject } from "../objects/read-object.ts";

/** Requests a rebase of outdated forks onto the current baseline. */
export async function rebaseSandbox(input: CommandInput<Flags>, context: CommandContext): Promise<number> {
  using cluster = await context.connect(input.connection);
  const { client, namespace } = cluster;
  const { signal, print } = context;
  const name = input.argument("NAME");
  const only = input.optionalArgument("ENTRY");
  const next = `sandboxctl sandbox list -n ${namespace}`;
  const {
    status,
    metadata: { uid = "" },
  } = await readObject(Sandbox, { client, namespace, name, signal, next });
  const entries = (status.services ?? []).filter((entry) => only === undefined || entry.name === only);
  if (only !== undefined && entries.length === 0) {
    throw new CommandError(
      `Sandbox ${namespace}/${name} has no entry ${only}. See sandboxctl sandbox get ${name} -n ${namespace}`,
      exitCodes.notFound,
    );
  }
  const behind = entries.filter(({ drift }) => drift === "Behind" || drift === "Conflict");
  if (behind.length === 0) {
    print(`sandbox/${name} has no fork that is behind its baseline`);
    return exitCodes.done;
  }
  const request = behind.map((entry) => `${entry.name}=${entry.baseline?.generation ?? 0}`).join(",");
  const merge = { metadata: { uid, annotations: { [annotations.rebase]: request } } };
  await client.patch(Sandbox, { namespace, name }, { merge }, { signal, fieldManager });
  print(`sandbox/${name} rebase requested for ${behind.map((entry) => entry.name).join(", ")}`);
  return exitCodes.done;
}
