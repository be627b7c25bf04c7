import type { CommandContext } from "../command/context.ts";
import { exitCodes } from "../command/errors.ts";
import type { CommandInput } from "../command/input.ts";
import { printValue } from "../output/print-objects.ts";
import { shellQuoted } from "../output/shell-quoted.ts";
import { resolveEnvironment } from "../workload/environment.ts";
import { readEntryContainer } from "./entry-container.ts";
import { envFlags } from "./flags.ts";

/** Prints the environment of the workload of an entry. */
export async function printEnvironment(input: CommandInput<typeof envFlags>, context: CommandContext): Promise<number> {
  using cluster = await context.connect(input.connection);
  const { signal, print, note } = context;
  const { baseline, container, sources } = await readEntryContainer(
    cluster,
    input.part({ container: envFlags.container }),
    signal,
  );
  const { variables, omitted } = await resolveEnvironment(baseline, container, sources);
  for (const line of omitted) note(`left out: ${line}`);
  if (input.output === "json") printValue(Object.fromEntries(variables), "json", print);
  else {
    for (const [key, value] of variables) {
      print(input.isSet("export") ? `export ${key}=${shellQuoted(value)}` : `${key}=${lineOf(value)}`);
    }
  }
  return exitCodes.done;
}

/** Returns a value on one line, in quotes if it contains line feeds, as files of variables write it. */
function lineOf(value: string): string {
  return /[\n\r]/.test(value) ? JSON.stringify(value) : value;
}
