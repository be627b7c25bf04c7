import { completionScript, completionShells } from "@homeostat/core";
import type { CommandContext } from "../command/context.ts";
import { exitCodes } from "../command/errors.ts";
import type { Flags } from "../command/flags.ts";
import type { CommandInput } from "../command/input.ts";

/** Prints the completion script of a shell. */
export async function printScript(input: CommandInput<Flags>, { print }: CommandContext): Promise<number> {
  const shell = completionShells.find((each) => each === input.argument("SHELL"));
  if (shell !== undefined) print(completionScript(shell, "sandboxctl"));
  return exitCodes.done;
}
