import type { Flags } from "./flag.ts";
import { flagName, variableName } from "./names.ts";

/** A group of flags under a heading, as `--help` shows them: name, what it does, default, environment variable. */
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
  const width = Math.min(34, Math.max(0, ...rows.map(({ left }) => left.length))) + 2;
  const lines = rows.map(({ left, right }) =>
    left.length < width ? `${left.padEnd(width)}${right}` : `${left}\n${" ".repeat(width)}${right}`,
  );
  return lines.length === 0 ? "" : `${heading}:\n${lines.join("\n")}\n`;
}
