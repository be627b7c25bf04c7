import { UsageError } from "@homeostat/core";
import type { CommandContext } from "../command/context.ts";
import { exitCodes } from "../command/errors.ts";
import type { CommandInput } from "../command/input.ts";
import { readMountedFiles } from "../workload/mounted-files.ts";
import { writeMountedFiles } from "../workload/write-files.ts";
import { readEntryContainer } from "./entry-container.ts";
import { filesFlags } from "./flags.ts";

/** Writes the mounted files of the workload of an entry. */
export async function writeFiles(input: CommandInput<typeof filesFlags>, context: CommandContext): Promise<number> {
  const folder = input.text("directory");
  if (folder === undefined || folder === "")
    throw new UsageError("sandboxctl sandbox files requires -d DIR. See sandboxctl sandbox files --help.");
  using cluster = await context.connect(input.connection);
  const { signal, print, note } = context;
  const { baseline, container, sources } = await readEntryContainer(
    cluster,
    input.part({ container: filesFlags.container }),
    signal,
  );
  const { files, omitted } = await readMountedFiles(baseline, container, sources);
  for (const line of omitted) note(`left out: ${line}`);
  for (const path of await writeMountedFiles(files, folder)) print(path);
  return exitCodes.done;
}
