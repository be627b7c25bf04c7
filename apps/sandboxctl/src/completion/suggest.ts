// Words that may follow a command line, from the definitions of commands.

import type { Argument, Command } from "../command/definition.ts";
import { commandsOf, findCommand, type Registry, topWords } from "../command/find-command.ts";
import { type Flag, type Flags, globalFlags, type Suggestion } from "../command/flags.ts";
import { allFlags } from "../command/parse-words.ts";

/** A word that may follow, with what it is for. */
export interface Suggested {
  readonly word: string;
  readonly help: string;
}

/** Suggestions: words, and names of objects that must be read. */
export interface Suggestions {
  readonly words: readonly Suggested[];
  /** Objects or files whose names may follow; undefined if there are none. */
  readonly names: Suggestion | undefined;
  /** Arguments before the word, such as the sandbox of an entry. */
  readonly before: readonly string[];
}

/** Returns the words that can complete the last word of a command line. */
export function suggest(line: readonly string[], registry: Registry): Suggestions {
  const current = line.at(-1) ?? "";
  const previous = line.slice(0, -1);
  const command = commandOf(previous, registry);
  if (command === undefined) return only(commandWords(previous, registry), current);
  const flags = allFlags(command);
  const flag = awaitedFlag(previous.at(-1), flags);
  if (flag !== undefined) return valueSuggestions(flag, current);
  if (current.startsWith("--") && current.includes("=")) {
    const at = current.indexOf("=");
    const name = current.slice(2, at);
    const given = Object.hasOwn(flags, name) ? flags[name] : undefined;
    const found = given === undefined ? none : valueSuggestions(given, current.slice(at + 1));
    return { ...found, words: found.words.map(({ word, help }) => ({ word: `--${name}=${word}`, help })) };
  }
  if (current.startsWith("-")) return only(flagWords(flags), current);
  const before = positionals(previous, flags).slice(wordCount(command, previous));
  const argument = argumentAt(command.arguments ?? [], before.length);
  const choices = (argument?.choices ?? []).map((word) => ({ word, help: "" }));
  return { ...only(choices, current), names: argument?.suggests, before };
}

const none: Suggestions = { words: [], names: undefined, before: [] };

function only(words: readonly Suggested[], current: string): Suggestions {
  return { ...none, words: words.filter(({ word }) => word.startsWith(current)) };
}

function commandOf(words: readonly string[], registry: Registry): Command | undefined {
  try {
    const found = findCommand(words, registry);
    return "command" in found ? found.command : undefined;
  } catch {
    // The command line is not complete yet.
    return undefined;
  }
}

function commandWords(previous: readonly string[], registry: Registry): readonly Suggested[] {
  const [first] = positionals(previous, globalFlags);
  if (first === undefined) {
    return topWords(registry).map((word) => ({
      word,
      help:
        (registry.groups.find((each) => each.word === word) ?? registry.commands.find((each) => each.words === word))
          ?.summary ?? "",
    }));
  }
  const groups = registry.groups.filter(({ word, aliases }) => word === first || aliases?.includes(first) === true);
  return groups.flatMap((group) =>
    commandsOf(group, registry).map(({ words, summary }) => ({
      word: words.slice(group.word.length + 1),
      help: summary,
    })),
  );
}

function flagWords(flags: Flags): readonly Suggested[] {
  return Object.entries(flags).map(([name, { help }]) => ({ word: `--${name}`, help }));
}

/** Returns the option that waits for its value. */
function awaitedFlag(word: string | undefined, flags: Flags): Flag | undefined {
  if (word === undefined || !word.startsWith("-") || word.includes("=")) return undefined;
  const found = Object.entries(flags).find(([name, { short }]) => word === `--${name}` || word === `-${short ?? ""}`);
  const flag = found?.[1];
  return flag === undefined || flag.kind === "switch" || flag.kind === "optional" ? undefined : flag;
}

function valueSuggestions(flag: Flag, current: string): Suggestions {
  if (flag.kind === "choice" || flag.kind === "optional")
    return only(
      flag.choices.map((word) => ({ word, help: "" })),
      current,
    );
  if (flag.kind === "switch")
    return only(
      ["true", "false"].map((word) => ({ word, help: "" })),
      current,
    );
  return { ...none, names: flag.suggests };
}

/** Returns the words that are neither options nor their values. */
function positionals(words: readonly string[], flags: Flags): readonly string[] {
  return words.filter((word, index) => !word.startsWith("-") && awaitedFlag(words[index - 1], flags) === undefined);
}

/** Returns how many words name the command: an alias may have fewer than its words. */
function wordCount({ words, aliases = [] }: Command, previous: readonly string[]): number {
  const typed = previous.filter((word) => !word.startsWith("-")).join(" ");
  const alias = aliases.find((each) => typed === each || typed.startsWith(`${each} `));
  return (alias ?? words).split(" ").length;
}

function argumentAt(expected: readonly Argument[], index: number): Argument | undefined {
  const last = expected.at(-1);
  return expected[index] ?? (last?.isRepeated === true ? last : undefined);
}
