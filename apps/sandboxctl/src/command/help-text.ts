// Help, generated from the definitions of commands.

import type { Argument, Command, CommandGroup } from "./definition.ts";
import { exitCodeTexts } from "./errors.ts";
import { commandsOf, type Registry } from "./find-command.ts";
import { flagForm, flagHelp, type Flags, globalFlags } from "./flags.ts";
import { allFlags } from "./parse-words.ts";

const width = 110;

/** Returns the output of `sandboxctl --help`. */
export function programHelp(registry: Registry): string {
  const single = registry.commands.filter(({ words, isHidden }) => isHidden !== true && !words.includes(" "));
  const rows = [
    ...registry.groups.map(({ word, summary }): [string, string] => [word, summary]),
    ...single.map(({ words, summary }): [string, string] => [words, summary]),
  ];
  return [
    "Usage: sandboxctl COMMAND [options]",
    "",
    ...wrapped(
      "Works with sandbox environments: changed versions of a few services next to a shared environment, and processes on your machine that replace a service of the cluster.",
    ),
    "",
    "Commands:",
    ...columns(rows),
    "",
    'Run "sandboxctl COMMAND --help" for details.',
    "",
    ...exitLines({}),
  ].join("\n");
}

/** Returns the help of the commands that begin with a word. */
export function groupHelp(group: CommandGroup, registry: Registry): string {
  const names = [group.word, ...(group.aliases ?? [])];
  return [
    `Usage: sandboxctl ${group.word} COMMAND [options]`,
    "",
    `${group.summary}.${names.length > 1 ? ` Short forms: ${names.slice(1).join(", ")}.` : ""}`,
    "",
    "Commands:",
    ...columns(commandsOf(group, registry).map(({ words, summary }) => [words.slice(group.word.length + 1), summary])),
    "",
    `Run "sandboxctl ${group.word} COMMAND --help" for details.`,
  ].join("\n");
}

/** Returns the help of a command. */
export function commandHelp(command: Command): string {
  const own = Object.entries(command.flags);
  const shared = Object.entries(allFlags(command)).filter(([name]) => !Object.hasOwn(command.flags, name));
  return [
    `Usage: ${usageLine(command)}`,
    ...(command.aliases === undefined ? [] : [`Short form: sandboxctl ${command.aliases.join(", sandboxctl ")}`]),
    "",
    ...command.description.flatMap((paragraph) => [...wrapped(paragraph), ""]),
    ...(own.length === 0 ? [] : ["Options:", ...flagLines(own), ""]),
    `Options of all commands${command.isOffline === true ? "" : " that use a cluster"}:`,
    ...flagLines(shared),
    "",
    ...exitLines(command.exits ?? {}),
    ...(command.examples.length === 0 ? [] : ["", "Examples:", ...command.examples.map((line) => `  ${line}`)]),
  ].join("\n");
}

/** Returns the form of a command line. */
export function usageLine(command: Command): string {
  const words = ["sandboxctl", command.words, ...(command.arguments ?? []).map(argumentForm), "[options]"];
  return [...words, ...(command.following === undefined ? [] : ["--", command.following])].join(" ");
}

function argumentForm({ name, isOptional, isRepeated }: Argument): string {
  const form = isRepeated === true ? `${name}...` : name;
  return isOptional === true ? `[${form}]` : form;
}

function flagLines(entries: readonly (readonly [string, Flags[string]])[]): readonly string[] {
  return columns(
    entries.map(([name, flag]) => [
      `${flag.short === undefined ? "    " : `-${flag.short}, `}${flagForm(name, flag)}`,
      flagHelp(flag),
    ]),
  );
}

function exitLines(exits: Readonly<Record<number, string>>): readonly string[] {
  const texts = { ...exitCodeTexts, ...exits };
  return wrapped(
    `Exit code: ${Object.entries(texts)
      .map(([code, text]) => `${code} ${text}`)
      .join(", ")}.`,
  );
}

/** Returns rows with aligned first columns. Long first columns get a separate line. */
function columns(rows: readonly (readonly [string, string])[]): readonly string[] {
  const longest = 30;
  const first = Math.min(longest, Math.max(0, ...rows.map(([text]) => text.length)));
  return rows.flatMap(([text, help]) => {
    const lines = wrapped(help, width - first - 4);
    const indent = " ".repeat(first + 4);
    if (text.length > first) return [`  ${text}`, ...lines.map((line) => `${indent}${line}`)];
    return lines.map((line, index) => (index === 0 ? `  ${text.padEnd(first)}  ${line}` : `${indent}${line}`));
  });
}

function wrapped(text: string, length = width): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > length) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** Names of the options of all commands, for completion and the reference page. */
export const sharedFlags: Flags = globalFlags;
