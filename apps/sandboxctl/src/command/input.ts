// The command line of one command, as handlers read it. The types refuse names that the command does not define.

import { durationMsOf } from "./duration.ts";
import type { FlagNames, Flags, FlagValue, OutputFormat } from "./flags.ts";

/** Options of the connection to a cluster. */
export interface ConnectionArguments {
  readonly namespace: string | undefined;
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly timeoutMs: number;
  readonly isVerbose: boolean;
}

/** A command line that was checked against the definition of its command. */
export interface ParsedWords {
  readonly flags: ReadonlyMap<string, FlagValue>;
  readonly arguments: ReadonlyMap<string, readonly string[]>;
  /** Words after `--`. */
  readonly following: readonly string[];
  readonly output: OutputFormat;
  readonly connection: ConnectionArguments;
  readonly usesColor: boolean;
}

/** The input of a handler. */
export class CommandInput<F extends Flags> {
  readonly #flags: Flags;
  readonly #parsed: ParsedWords;

  constructor(flags: F, parsed: ParsedWords) {
    this.#flags = flags;
    this.#parsed = parsed;
  }

  get output(): OutputFormat {
    return this.#parsed.output;
  }

  get connection(): ConnectionArguments {
    return this.#parsed.connection;
  }

  /** Words after `--`. */
  get following(): readonly string[] {
    return this.#parsed.following;
  }

  get usesColor(): boolean {
    return this.#parsed.usesColor;
  }

  /** Returns the input for a function that reads only some of the options. */
  part<G extends Flags>(flags: G): CommandInput<G> {
    return new CommandInput(flags, this.#parsed);
  }

  /** Returns the value of an option. */
  text(name: FlagNames<F, "text">): string | undefined {
    const value = this.#value(name);
    return typeof value === "string" ? value : undefined;
  }

  /** Returns the value of an option with a list of choices, which must be the list of its definition. */
  choice<C extends string>(name: FlagNames<F, "choice">, choices: readonly C[]): C {
    const value = this.#value(name);
    const found = choices.find((each) => each === value);
    if (found === undefined) throw new TypeError(`--${name} is defined with other choices`);
    return found;
  }

  /** Returns the value of an option that may be given without one; undefined if it was not given. */
  optional<C extends string>(name: FlagNames<F, "optional">, choices: readonly C[]): C | undefined {
    const value = this.#value(name);
    return choices.find((each) => each === value);
  }

  /** Returns the values of an option that may be repeated. */
  texts(name: FlagNames<F, "texts">): readonly string[] {
    const value = this.#value(name);
    return Array.isArray(value) ? value.map(String) : [];
  }

  integer(name: FlagNames<F, "integer">): number | undefined {
    const value = this.#value(name);
    return typeof value === "number" ? value : undefined;
  }

  /** Returns the value of an option that is a duration, in milliseconds. */
  durationMs(name: FlagNames<F, "duration">): number | undefined {
    const value = this.#value(name);
    return typeof value === "string" ? durationMsOf(value) : undefined;
  }

  isSet(name: FlagNames<F, "switch">): boolean {
    const value = this.#value(name);
    if (typeof value === "boolean") return value;
    const flag = this.#flags[name];
    return flag?.kind === "switch" && flag.default === true;
  }

  /** Returns the value of a required argument. */
  argument(name: string): string {
    const [value] = this.#parsed.arguments.get(name) ?? [];
    if (value === undefined) throw new TypeError(`${name} is not a required argument of this command`);
    return value;
  }

  /** Returns the value of an argument that may be absent. */
  optionalArgument(name: string): string | undefined {
    return this.#parsed.arguments.get(name)?.[0];
  }

  /** Returns the values of an argument that may be repeated. */
  repeatedArgument(name: string): readonly string[] {
    return this.#parsed.arguments.get(name) ?? [];
  }

  #value(name: string): FlagValue | undefined {
    return this.#parsed.flags.get(name);
  }
}
