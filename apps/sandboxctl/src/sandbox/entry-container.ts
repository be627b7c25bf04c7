import { Sandbox } from "@homeostat/sandbox-operator";
import type { Cluster } from "../command/context.ts";
import type { CommandInput } from "../command/input.ts";
import { readObject } from "../objects/read-object.ts";
import { containerOf } from "../workload/containers.ts";
import { readWorkloadOfEntry } from "../workload/read-workload.ts";
import { Sources } from "../workload/sources.ts";
import type { filesFlags } from "./flags.ts";

/** A container of the workload of an entry, with the objects that its environment and files come from. */
export interface EntryContainer {
  readonly baseline: Awaited<ReturnType<typeof readWorkloadOfEntry>>;
  readonly container: ReturnType<typeof containerOf>;
  readonly sources: Sources;
}

/** Reads the workload of the entry that the arguments NAME and ENTRY choose. */
export async function readEntryContainer(
  cluster: Cluster,
  input: CommandInput<Pick<typeof filesFlags, "container">>,
  signal: AbortSignal,
): Promise<EntryContainer> {
  const { client, namespace } = cluster;
  const name = input.argument("NAME");
  const next = `sandboxctl sandbox list -n ${namespace}`;
  const sandbox = await readObject(Sandbox, { client, namespace, name, signal, next });
  const baseline = await readWorkloadOfEntry(cluster, { sandbox, entry: input.argument("ENTRY") }, signal);
  return {
    baseline,
    container: containerOf(baseline, input.text("container")),
    sources: new Sources(client, { namespace: baseline.namespace, signal }),
  };
}
