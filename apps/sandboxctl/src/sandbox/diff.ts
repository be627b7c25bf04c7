import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { diffObjects, formatDiff, readBaseline, Sandbox } from "@homeostat/sandbox-operator";
import type { CommandContext } from "../command/context.ts";
import { CommandError, exitCodes } from "../command/errors.ts";
import type { Flags } from "../command/flags.ts";
import type { CommandInput } from "../command/input.ts";
import { readObject } from "../objects/read-object.ts";
import { printValue } from "../output/print-objects.ts";
import { readWorkload } from "../workload/read-workload.ts";

/** Compares the fork of an entry with its baseline. */
export async function printDiff(input: CommandInput<Flags>, context: CommandContext): Promise<number> {
  using cluster = await context.connect(input.connection);
  const { client, namespace } = cluster;
  const { signal, print } = context;
  const name = input.argument("NAME");
  const entryName = input.argument("ENTRY");
  const next = `sandboxctl sandbox get ${name} -n ${namespace}`;
  const sandbox = await readObject(Sandbox, {
    client,
    namespace,
    name,
    signal,
    next: `sandboxctl sandbox list -n ${namespace}`,
  });
  const entry = sandbox.spec.services.find((each) => each.name === entryName);
  const { forkName, message } = sandbox.status.services?.find((each) => each.name === entryName) ?? {};
  if (entry === undefined || forkName === undefined) {
    const why = entry === undefined ? "no such entry" : `no fork${message === undefined ? " yet" : `: ${message}`}`;
    throw new CommandError(`Sandbox ${namespace}/${name}, entry ${entryName}: ${why}. See ${next}`, exitCodes.notFound);
  }
  const baseline = await readWorkload(cluster, entry.targetRef, signal);
  const object = await readObject(Deployment, { client, namespace: baseline.namespace, name: forkName, signal, next });
  const fork = readBaseline({ kind: "Deployment", object });
  const diff = diffObjects(baseline.template, fork?.template, { linesMax: 1_000 });
  if (input.output === "json") printValue(diff.lines, "json", print);
  else print(formatDiff(diff).trimEnd() || "No differences");
  return exitCodes.done;
}
