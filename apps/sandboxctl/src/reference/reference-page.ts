// The reference page of all commands, generated from their definitions.

import type { Command } from "../command/definition.ts";
import { exitCodeTexts } from "../command/errors.ts";
import { commandsOf, type Registry } from "../command/find-command.ts";
import { type Flag, flagForm, flagHelp, globalFlags } from "../command/flags.ts";
import { usageLine } from "../command/help-text.ts";
import { environmentFlags, variableOf } from "../command/read-command-line.ts";

/** Returns the reference page in Markdown. */
export function referencePage(registry: Registry): string {
  const single = registry.commands.filter(({ words, isHidden }) => isHidden !== true && !words.includes(" "));
  const blocks = [
    "# sandboxctl",
    "<!-- Generated from the definitions of the commands by `npm run docs`. Do not edit. -->",
    "The command line of sandbox environments. It talks to the Kubernetes API with the user's kubeconfig, including exec plugins, and needs no other server for commands about objects.",
    "## Options of all commands",
    flagTable(globalFlags),
    `Commands that print objects have \`-o, --output\` as well; each command lists its formats. Environment variables set the same options: ${environmentFlags.map((flag) => `\`${variableOf(flag)}\``).join(", ")}. An option takes precedence over its variable, which takes precedence over the configuration file (\`sandboxctl config view\`).`,
    "## Exit codes",
    table(["code", "meaning"], Object.entries(exitCodeTexts)),
    "`local run` exits with the code of its command.",
    ...registry.groups.flatMap((group) => [
      `## ${group.word}`,
      `${group.summary}.${group.aliases === undefined ? "" : ` Short forms: ${group.aliases.map((each) => `\`${each}\``).join(", ")}.`}`,
      ...commandsOf(group, registry).flatMap((command) => commandBlocks(command, "###")),
    ]),
    ...single.flatMap((command) => commandBlocks(command, "##")),
  ];
  return `${blocks.join("\n\n")}\n`;
}

function commandBlocks(command: Command, heading: string): readonly string[] {
  const { words, summary, description, aliases, flags, outputs, exits, examples } = command;
  return [
    `${heading} ${words}`,
    `${summary}.${aliases === undefined ? "" : ` Short form: ${aliases.map((each) => `\`sandboxctl ${each}\``).join(", ")}.`}`,
    fenced([usageLine(command)]),
    ...description,
    ...(Object.keys(flags).length === 0 ? [] : [flagTable(flags)]),
    ...(outputs.length === 0 ? [] : [`Formats of \`--output\`: ${outputs.map((each) => `\`${each}\``).join(", ")}.`]),
    ...(exits === undefined
      ? []
      : [
          `Exit codes: ${Object.entries(exits)
            .map(([code, text]) => `${code} ${text}`)
            .join("; ")}.`,
        ]),
    ...(examples.length === 0 ? [] : [fenced(examples)]),
  ];
}

function fenced(lines: readonly string[]): string {
  return ["```sh", ...lines, "```"].join("\n");
}

function flagTable(flags: Readonly<Record<string, Flag>>): string {
  const rows = Object.entries(flags).map(([name, flag]) => [
    `\`${flag.short === undefined ? "" : `-${flag.short}, `}${flagForm(name, flag)}\``,
    flagHelp(flag),
  ]);
  return table(["option", "effect"], rows);
}

/** Returns a table with aligned columns, as the formatter of the repository writes it. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, ...rows].map((row) => row.map((cell) => cell.replaceAll("|", String.raw`\|`)));
  const widths = head.map((_, column) => Math.max(3, ...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const [first = [], ...rest] = cells;
  return [line(first), `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`, ...rest.map(line)].join("\n");
}
