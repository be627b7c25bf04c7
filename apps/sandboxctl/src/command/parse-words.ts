// Parses a command line by the definition of its command.
//
// Options may be written as --name value, --name=value, -n value and -nvalue, before or after the words of the command. A switch takes =true or
// =false. Nothing is guessed: an unknown option is an error that names the nearest known one.

import { UsageError } from "@homeostat/core";
import { closest } from "./closest.ts";
import type { Command } from "./definition.ts";
import { durationMsOf } from "./duration.ts";
import { type Flag, type Flags, type FlagValue, globalFlags } from "./flags.ts";

/** The words of a command line, sorted into options and arguments. */
export interface SortedWords {
  readonly flags: ReadonlyMap<string, FlagValue>;
  readonly positionals: readonly string[];
  readonly following: readonly string[];
}

const unlimited: ReadonlySet<string> = new Set(["help", "no-color", "verbose"]);

/** Returns the options of a command with those of all commands. */
export function allFlags(command: Pick<Command, "flags" | "isOffline" | "outputs">): Flags {
  const { outputs } = command;
  const connection = Object.fromEntries(
    Object.entries(globalFlags).filter(([name]) => command.isOffline !== true || unlimited.has(name)),
  );
  const [first] = outputs;
  const output: Flags =
    first === undefined
      ? {}
      : {
          output: {
            kind: "choice",
            short: "o",
            choices: outputs,
            default: first,
            help: "format of the output",
          },
        };
  return { ...command.flags, ...connection, ...output };
}

/** Sorts the words after those of the command. Throws a {@link UsageError}. */
export function sortWords(words: readonly string[], flags: Flags, hint: string): SortedWords {
  const values = new Map<string, FlagValue>();
  const positionals: string[] = [];
  const queue = [...words];
  for (let word = queue.shift(); word !== undefined; word = queue.shift()) {
    if (word === "--") return { flags: values, positionals, following: queue };
    if (word.startsWith("--")) readLong(word, { flags, queue, values, hint });
    else if (word.startsWith("-") && word !== "-") readShort(word, { flags, queue, values, hint });
    else positionals.push(word);
  }
  return { flags: values, positionals, following: [] };
}

interface Reading {
  readonly flags: Flags;
  /** Words that follow. */
  readonly queue: string[];
  readonly values: Map<string, FlagValue>;
  readonly hint: string;
}

function readLong(word: string, reading: Reading): void {
  const at = word.indexOf("=");
  const name = at < 0 ? word.slice(2) : word.slice(2, at);
  const inline = at < 0 ? undefined : word.slice(at + 1);
  const flag = flagOf(name, reading);
  store(name, flag, inline ?? (takesWord(flag) ? nextValue(`--${name}`, reading) : undefined), reading);
}

function readShort(word: string, reading: Reading): void {
  for (let rest = word.slice(1); rest !== "";) {
    const letter = rest.slice(0, 1);
    const found = Object.entries(reading.flags).find(([, { short }]) => short === letter);
    if (found === undefined) throw new UsageError(`Unknown option -${letter}. ${reading.hint}`);
    const [name, flag] = found;
    rest = rest.slice(1);
    if (!takesWord(flag)) {
      store(name, flag, undefined, reading);
      continue;
    }
    store(name, flag, rest === "" ? nextValue(`-${letter}`, reading) : rest.replace(/^=/, ""), reading);
    return;
  }
}

function flagOf(name: string, { flags, hint }: Reading): Flag {
  const flag = Object.hasOwn(flags, name) ? flags[name] : undefined;
  if (flag !== undefined) return flag;
  const near = closest(name, Object.keys(flags));
  throw new UsageError(`Unknown option --${name}${near === undefined ? "" : `; did you mean --${near}?`}. ${hint}`);
}

function takesWord({ kind }: Flag): boolean {
  return kind !== "switch" && kind !== "optional";
}

function nextValue(form: string, { queue, hint }: Reading): string {
  const value = queue.shift();
  // A value that begins with a dash is most likely the next option. -f - is standard input.
  if (value === undefined || (value.startsWith("-") && value !== "-" && !/^-\d/.test(value))) {
    throw new UsageError(`${form} requires a value. ${hint}`);
  }
  return value;
}

function store(name: string, flag: Flag, text: string | undefined, { values, hint }: Reading): void {
  if (flag.kind === "texts") {
    const before = values.get(name);
    values.set(name, [...(Array.isArray(before) ? before.map(String) : []), text ?? ""]);
    return;
  }
  if (values.has(name) && flag.kind !== "switch") throw new UsageError(`--${name} is given twice. ${hint}`);
  values.set(name, checkedValue(name, flag, text));
}

/** Checks a value by the definition of its option. Throws a {@link UsageError}. */
export function checkedValue(name: string, flag: Flag, text: string | undefined): FlagValue {
  const wrong = (expected: string): UsageError =>
    new UsageError(`--${name} is ${JSON.stringify(text ?? "")}; it must be ${expected}.`);
  switch (flag.kind) {
    case "switch":
      if (text === undefined || text === "true") return true;
      if (text === "false") return false;
      throw wrong("true or false");
    case "optional":
      if (text === undefined) return flag.bare;
      if (flag.choices.includes(text)) return text;
      throw wrong(listText(flag.choices));
    case "choice":
      if (text !== undefined && flag.choices.includes(text)) return text;
      throw wrong(listText(flag.choices));
    case "integer": {
      const number = /^\d{1,9}$/.test(text ?? "") ? Number(text) : NaN;
      if (number >= flag.min && number <= flag.max) return number;
      throw wrong(`an integer from ${flag.min} to ${flag.max}`);
    }
    case "duration":
      if (text !== undefined && durationMsOf(text) !== undefined) return text;
      throw wrong("a duration such as 30s, 5m or 2h");
    default:
      return text ?? "";
  }
}

function listText(choices: readonly string[]): string {
  return choices.length < 2 ? (choices[0] ?? "") : `${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}`;
}
