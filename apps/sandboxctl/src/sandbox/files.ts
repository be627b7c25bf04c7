import { UsageError } from "@homeostat/core";
import { Sandbox } from "@homeostat/sandbox-operator";
import type { CommandContext } from "../command/context.ts";
import { exitCodes } from "../command/errors.ts";
import type { CommandInput } from "../command/input.ts";
import { readObject } from "../objects/read-object.ts";
import { containerOf } from "../workload/containers.ts";
import { readMountedFiles } from "../workload/mounted-files.ts";
import { readWorkloadOfEntry } from "../workload/read-workload.ts";
import { Sources } from "../workload/sources.ts";
import { writeMountedFiles } from "../workload/write-files.ts";
import type { filesFlags } from "./flags.ts";

/** Writes the mounted files of the workload of an entry. */
export async function writeFiles(input: CommandInput<typeof filesFlags>, context: CommandContext): Promise<number> {
  const folder = input.text("directory");
  if (folder === undefined || folder === "")
    throw new UsageError("sandboxctl sandbox files requires -d DIR. See sandboxctl sandbox files --help.");
  using cluster = await context.connect(input.connection);
  const { client, namespace } = cluster;
  const { signal, print, note } = context;
  const name = input.argument("NAME");
  const next = `sandboxctl sandbox list -n ${namespace}`;
  const sandbox = await readObject(Sandbox, { client, namespace, name, signal, next });
  const baseline = await readWorkloadOfEntry(cluster, { sandbox, entry: input.argument("ENTRY") }, signal);
  const container = containerOf(baseline, input.text("container"));
  const sources = new Sources(client, { namespace: baseline.namespace, signal });
  const { files, omitted } = await readMountedFiles(baseline, container, sources);
  for (const line of omitted) note(`left out: ${line}`);
  for (const path of await writeMountedFiles(files, folder)) print(path);
  return exitCodes.done;
}
