// The definition of a command. Everything about a command is derived from it: the parser, help, completion and the reference page. Handlers are
// loaded when their command runs, so help starts fast.

import type { CommandContext } from "./context.ts";
import { CommandInput, type ParsedWords } from "./input.ts";
import type { Flags, OutputFormat, Suggestion } from "./flags.ts";

/** A word of a command line that is not an option. */
export interface Argument {
  /** Placeholder in help, such as `NAME`. */
  readonly name: string;
  readonly isOptional?: boolean;
  /** True for the last argument if it may be repeated. */
  readonly isRepeated?: boolean;
  readonly suggests?: Suggestion;
  /** The accepted words, if there is a list of them. */
  readonly choices?: readonly string[];
}

/** Texts and properties of a command. */
export interface CommandText {
  /** Words of the command after `sandboxctl`, such as `sandbox apply`. */
  readonly words: string;
  /** Other words for the same command. */
  readonly aliases?: readonly string[];
  /** One line for lists of commands: imperative, without a full stop. */
  readonly summary: string;
  /** Paragraphs of the help. */
  readonly description: readonly string[];
  readonly arguments?: readonly Argument[];
  /** Placeholder of a command that follows `--`, such as `COMMAND...`. */
  readonly following?: string;
  /** Formats of `--output`, the default first. Empty if the command has one format only. */
  readonly outputs: readonly OutputFormat[];
  /** True if the command does not talk to a cluster, so it has no options for the connection. */
  readonly isOffline?: boolean;
  /** True if the command runs until it is stopped, so `--timeout` does not end it. */
  readonly isEndless?: boolean;
  /** True for commands that are omitted from help, such as those that completion calls. */
  readonly isHidden?: boolean;
  /** Exit codes with a special meaning for this command. */
  readonly exits?: Readonly<Record<number, string>>;
  readonly examples: readonly string[];
}

/** A function that runs a command and returns its exit code. */
export type Handler<F extends Flags> = (input: CommandInput<F>, context: CommandContext) => Promise<number>;

/** A command with its options and the module that runs it. */
export interface CommandDefinition<F extends Flags> extends CommandText {
  readonly flags: F;
  readonly load: () => Promise<Handler<F>>;
}

/** A command of the registry. */
export interface Command extends CommandText {
  readonly flags: Flags;
  readonly run: (parsed: ParsedWords, context: CommandContext) => Promise<number>;
}

/** Defines a command. */
export function defineCommand<F extends Flags>(definition: CommandDefinition<F>): Command {
  const { load, ...text } = definition;
  return {
    ...text,
    run: async (parsed, context) => (await load())(new CommandInput(definition.flags, parsed), context),
  };
}

/** A first word that several commands share. */
export interface CommandGroup {
  readonly word: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
}
