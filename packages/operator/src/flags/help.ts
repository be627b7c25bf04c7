import { type FlagAlias, type FlagAliases, isIgnored, targetOf } from "./aliases.ts";
import type { Flags } from "./flag.ts";
import { flagName, variableName } from "./names.ts";

/** Returns the section of `--help` that lists flag aliases. */
export function aliasHelpOf(heading: string, aliases: FlagAliases): string {
  const rows = Object.entries(aliases).map(([word, alias]) => {
    const target = targetOf(alias);
    if (target !== undefined) return { left: `  --${word}`, right: `same as --${target}${variableNote(alias)}` };
    const why = isIgnored(alias) && alias.why !== undefined ? `: ${alias.why}` : "";
    return { left: `  --${word}`, right: `accepted without effect${why}` };
  });
  return section(heading, rows);
}

function variableNote(alias: FlagAlias): string {
  return typeof alias === "object" && "env" in alias && alias.env !== undefined ? ` ($${alias.env})` : "";
}

/** Returns a section of `--help` with a heading: each flag with its description, default and environment variable. */
export function helpOf(heading: string, flags: Flags): string {
  const rows = Object.entries(flags).map(([name, flag]) => {
    const value = flag.format(flag.default);
    const variable = variableName(name, flag);
    const notes = [
      ...(value === "" || value === "false" || value === "true" ? [] : [`default ${value}`]),
      ...(variable === undefined ? [] : [`$${variable}`]),
    ];
    const word = value === "true" ? `[no-]${flagName(name)}` : flagName(name);
    const left = `  --${word}${flag.placeholder === undefined ? "" : ` ${flag.placeholder}`}`;
    return { left, right: `${flag.help}${notes.length === 0 ? "" : ` (${notes.join(", ")})`}` };
  });
  return section(heading, rows);
}

function section(heading: string, rows: readonly { readonly left: string; readonly right: string }[]): string {
  const width = Math.min(34, Math.max(0, ...rows.map(({ left }) => left.length))) + 2;
  const lines = rows.map(({ left, right }) =>
    left.length < width ? `${left.padEnd(width)}${right}` : `${left}\n${" ".repeat(width)}${right}`,
  );
  return lines.length === 0 ? "" : `${heading}:\n${lines.join("\n")}\n`;
}
