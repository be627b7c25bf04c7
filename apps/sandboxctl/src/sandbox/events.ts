import { Sandbox } from "@homeostat/sandbox-operator";
import type { CommandContext } from "../command/context.ts";
import { exitCodes } from "../command/errors.ts";
import type { Flags } from "../command/flags.ts";
import type { CommandInput } from "../command/input.ts";
import { eventLine, readEvents } from "../objects/events.ts";
import { readObject } from "../objects/read-object.ts";
import { printValue } from "../output/print-objects.ts";

/** Prints the events of a sandbox and its forks. */
export async function printEvents(input: CommandInput<Flags>, context: CommandContext): Promise<number> {
  using cluster = await context.connect(input.connection);
  const { client, namespace } = cluster;
  const { signal, print, note, clock } = context;
  const name = input.argument("NAME");
  const next = `sandboxctl sandbox list -n ${namespace}`;
  const sandbox = await readObject(Sandbox, { client, namespace, name, signal, next });
  const forks = (sandbox.status.services ?? []).flatMap(({ forkName }) => (forkName === undefined ? [] : [forkName]));
  const events = await readEvents(client, { namespace, names: [name, ...forks], signal });
  if (input.output === "json") printValue(events, "json", print);
  else if (events.length === 0) note(`Sandbox ${namespace}/${name} has no events; they are kept for about an hour`);
  else for (const event of events) print(eventLine(event, clock.now()));
  return exitCodes.done;
}
