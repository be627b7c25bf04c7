// Finds the command that a command line names. Options of all commands may precede its words: `sandboxctl -n shop sandbox list`.

import { UsageError } from "@homeostat/core";
import { closest } from "./closest.ts";
import type { Command, CommandGroup } from "./definition.ts";
import { type Flags, globalFlags } from "./flags.ts";

/** All commands of the program. */
export interface Registry {
  readonly groups: readonly CommandGroup[];
  readonly commands: readonly Command[];
}

/** The command that a command line names, with the remaining words of the line. */
export type FoundCommand =
  | { readonly command: Command; readonly words: readonly string[] }
  /** Help of the program, or of the commands that begin with a word. */
  | { readonly group: CommandGroup | undefined };

const valueFlags: ReadonlySet<string> = new Set(
  Object.entries<Flags[string]>(globalFlags).flatMap(([name, { kind, short }]) =>
    kind === "switch" ? [] : [`--${name}`, ...(short === undefined ? [] : [`-${short}`])],
  ),
);

/** Finds the command of a command line. Throws a {@link UsageError} if there is none. */
export function findCommand(words: readonly string[], registry: Registry): FoundCommand {
  const { path, rest } = splitPath(words, registry);
  const isHelp = rest.some((word) => word === "--help" || word === "-h");
  if (path[0] === "help") return findHelp([...path.slice(1), ...rest], registry);
  const command = commandAt(path, registry);
  if (command !== undefined) return { command, words: rest };
  const [first] = path;
  const second = path[1] ?? rest.find((word) => !word.startsWith("-"));
  if (first === undefined) {
    const version = isHelp ? undefined : commandAt(["version"], registry);
    if (version !== undefined && rest.includes("--version"))
      return { command: version, words: ["--client", ...rest.filter((word) => word !== "--version")] };
    if (!isHelp) checkLeadingOptions(rest);
    return { group: undefined };
  }
  const group = groupAt(first, registry);
  if (group !== undefined && (isHelp || second === undefined)) {
    if (isHelp) return { group };
    throw new UsageError(
      `sandboxctl ${first} requires one of the commands ${wordsOf(group, registry).join(", ")}. See sandboxctl ${first} --help.`,
    );
  }
  throw unknown(group === undefined ? [first] : [first, second ?? ""], group, registry);
}

/** Refuses options that are not options of all commands on a line without a command. Throws a {@link UsageError}. */
function checkLeadingOptions(words: readonly string[]): void {
  const unknownOption = words.find((word) => word.startsWith("-") && !isGlobalFlag(word));
  if (unknownOption === undefined) return;
  throw new UsageError(`Unknown option ${unknownOption} without a command. See sandboxctl --help.`);
}

function isGlobalFlag(word: string): boolean {
  const [name = ""] = word.split("=");
  return Object.entries<Flags[string]>(globalFlags).some(
    ([long, { short }]) => name === `--${long}` || (short !== undefined && name === `-${short}`),
  );
}

/** Returns the command of `sandboxctl help WORDS`. */
function findHelp(words: readonly string[], registry: Registry): FoundCommand {
  const path = words.filter((word) => !word.startsWith("-"));
  const command = commandAt(path, registry);
  if (command !== undefined) return { command, words: ["--help"] };
  const [first] = path;
  if (first === undefined) return { group: undefined };
  const group = groupAt(first, registry);
  if (group !== undefined && path.length === 1) return { group };
  throw unknown(path, group, registry);
}

function unknown(path: readonly string[], group: CommandGroup | undefined, registry: Registry): UsageError {
  const known = group === undefined ? topWords(registry) : wordsOf(group, registry);
  const near = closest(path.at(-1) ?? "", known);
  const hint = near === undefined ? `Available commands: ${known.join(", ")}.` : `Did you mean ${near}?`;
  const help = group === undefined ? "sandboxctl --help" : `sandboxctl ${group.word} --help`;
  return new UsageError(`Unknown command ${JSON.stringify(path.join(" "))}. ${hint} See ${help}.`);
}

/** Returns the first words of all commands. */
export function topWords({ groups, commands }: Registry): readonly string[] {
  const single = commands.filter(({ words, isHidden }) => isHidden !== true && !words.includes(" "));
  return [...new Set([...groups.map(({ word }) => word), ...single.map(({ words }) => words)])];
}

/** Returns the commands of a group. */
export function commandsOf(group: CommandGroup, { commands }: Registry): readonly Command[] {
  return commands.filter(({ words, isHidden }) => isHidden !== true && words.startsWith(`${group.word} `));
}

function wordsOf(group: CommandGroup, registry: Registry): readonly string[] {
  return commandsOf(group, registry).map(({ words }) => words.slice(group.word.length + 1));
}

function groupAt(word: string, { groups }: Registry): CommandGroup | undefined {
  return groups.find((group) => group.word === word) ?? groups.find(({ aliases }) => aliases?.includes(word) === true);
}

/** Returns the command with exactly these words, after replacing aliases. */
function commandAt(path: readonly string[], registry: Registry): Command | undefined {
  const text = path.join(" ");
  const exact = registry.commands.find(({ words, aliases }) => words === text || aliases?.includes(text) === true);
  if (exact !== undefined) return exact;
  const [first = "", ...rest] = path;
  const groups = registry.groups.filter(({ aliases }) => aliases?.includes(first) === true);
  return groups
    .map(({ word }) => [word, ...rest].join(" "))
    .map((full) => registry.commands.find(({ words, aliases }) => words === full || aliases?.includes(full) === true))
    .find((command) => command !== undefined);
}

/** Splits a command line into the words that name the command, as many as match, and all other words. */
function splitPath(
  words: readonly string[],
  registry: Registry,
): { readonly path: readonly string[]; readonly rest: readonly string[] } {
  const path: string[] = [];
  const rest: string[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? "";
    if (word === "--") return { path, rest: [...rest, ...words.slice(index)] };
    if (word.startsWith("-")) {
      rest.push(word);
      if (valueFlags.has(word) && index + 1 < words.length) {
        index += 1;
        rest.push(words[index] ?? "");
      }
      continue;
    }
    if (path.length > 0 && !isPrefix([...path, word], registry))
      return { path, rest: [...rest, ...words.slice(index)] };
    path.push(word);
    if (path.length === 1 && path[0] === "help") return { path, rest: [...rest, ...words.slice(index + 1)] };
    if (!isPrefix(path, registry)) return { path, rest: [...rest, ...words.slice(index + 1)] };
  }
  return { path, rest };
}

function isPrefix(path: readonly string[], registry: Registry): boolean {
  const [first = "", ...others] = path;
  if (path.length === 1 && groupAt(first, registry) !== undefined) return true;
  const firsts = [first, ...registry.groups.filter(({ aliases }) => aliases?.includes(first)).map(({ word }) => word)];
  return firsts.some((word) => {
    const text = [word, ...others].join(" ");
    return registry.commands.some(({ words, aliases }) =>
      [words, ...(aliases ?? [])].some((each) => each === text || each.startsWith(`${text} `)),
    );
  });
}
