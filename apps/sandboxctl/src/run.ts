import { HomeostatError, systemClock } from "@homeostat/core";
import { explainCommand } from "./explain/explain-command.ts";
import { previewCommand } from "./preview/preview-commands.ts";
import { policyCheck } from "./policy/policy-check.ts";
import { readArguments } from "./command/arguments.ts";
import type { CommandContext } from "./command/cluster.ts";
import { exitCodeOfError, exitCodes } from "./command/errors.ts";
import { explainHelp, help, policyCheckHelp, previewHelp } from "./command/help.ts";

const helpTexts = {
  sandboxctl: help,
  "policy check": policyCheckHelp,
  "route explain": explainHelp,
  preview: previewHelp,
};

/** Runs a command line and returns the exit code. Prints expected errors as one line. */
export async function run(words: readonly string[], context: CommandContext): Promise<number> {
  try {
    const args = readArguments(words);
    if (args.run === "help") {
      context.print(helpTexts[args.of].trimEnd());
      return exitCodes.done;
    }
    using timeout = systemClock.timeout(args.timeoutMs);
    const limited = { ...context, signal: AbortSignal.any([context.signal, timeout.signal]) };
    try {
      if (args.run === "policy check") return await policyCheck(args, limited);
      return args.run === "route explain" ? await explainCommand(args, limited) : await previewCommand(args, limited);
    } catch (error) {
      if (context.signal.aborted) return 130;
      if (!timeout.signal.aborted) throw error;
      context.note(`sandboxctl: not done after ${args.timeoutMs / 1_000} seconds; set a longer --timeout`);
      return exitCodes.timeout;
    }
  } catch (error) {
    if (!(error instanceof HomeostatError)) throw error;
    context.note(`sandboxctl: ${error.message}`);
    return exitCodeOfError(error);
  }
}
