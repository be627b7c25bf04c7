import { HomeostatError } from "@homeostat/core";
import type { CommandContext } from "./command/context.ts";
import { durationMsOf } from "./command/duration.ts";
import { exitCodeOfError, exitCodes, systemErrorText } from "./command/errors.ts";
import { findCommand } from "./command/find-command.ts";
import { commandHelp, groupHelp, programHelp } from "./command/help-text.ts";
import { exitCodeOfSignal, stopSignalOf } from "./command/interrupt.ts";
import { readCommandLine } from "./command/read-command-line.ts";
import type { ParsedWords } from "./command/input.ts";
import { registry } from "./registry.ts";
import { readSettings } from "./settings/settings.ts";

/** Adds the namespace of the configuration file. */
async function withSettings(parsed: ParsedWords, { machine }: CommandContext): Promise<ParsedWords> {
  const { connection } = parsed;
  if (connection.namespace !== undefined) return parsed;
  const { namespace } = await readSettings(machine.configFolder);
  return { ...parsed, connection: { ...connection, namespace } };
}

/** Runs a command line and returns the exit code. Prints expected errors as one line. */
export async function run(words: readonly string[], context: CommandContext): Promise<number> {
  try {
    const found = findCommand(words, registry);
    if ("group" in found) {
      context.print(found.group === undefined ? programHelp(registry) : groupHelp(found.group, registry));
      return exitCodes.done;
    }
    const { command } = found;
    const line = readCommandLine(command, found.words, context.machine.env);
    if (line.isHelp) {
      context.print(commandHelp(command));
      return exitCodes.done;
    }
    const parsed = command.isOffline === true ? line.parsed : await withSettings(line.parsed, context);
    if (command.isEndless === true) return await command.run(parsed, context);
    // A wait has a limit of its own, and reports what it waited for.
    const waitText = parsed.flags.get("wait-timeout");
    const waitMs = typeof waitText === "string" ? (durationMsOf(waitText) ?? 0) : 0;
    const timeoutMs = parsed.connection.timeoutMs + waitMs;
    using timeout = context.clock.timeout(timeoutMs);
    try {
      return await command.run(parsed, { ...context, signal: AbortSignal.any([context.signal, timeout.signal]) });
    } catch (error) {
      if (context.signal.aborted || !timeout.signal.aborted) throw error;
      context.note(`sandboxctl: not done after ${timeoutMs / 1_000} seconds; set a longer --timeout`);
      return exitCodes.timeout;
    }
  } catch (error) {
    if (context.signal.aborted) return exitCodeOfSignal(stopSignalOf(context.signal.reason));
    const text = error instanceof HomeostatError ? error.message : systemErrorText(error);
    if (text === undefined) throw error;
    context.note(`sandboxctl: ${text}`);
    return exitCodeOfError(error);
  }
}
