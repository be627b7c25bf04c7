/** Flags as Go programs take them: each name with all the values it was given. */
export type Flags = ReadonlyMap<string, readonly string[]>;

/**
 * Reads `--name=value`, `--name value` and `--name` alone, which means `true`.
 *
 * A word that is no flag and belongs to none is left out: the programs whose names we take have no arguments.
 */
export function readFlags(words: readonly string[]): Flags {
  const flags = new Map<string, string[]>();
  for (let at = 0; at < words.length; at += 1) {
    const [, name, value] = /^--?([^=]+)(?:=([^]*))?$/.exec(words[at] ?? "") ?? [];
    if (name === undefined) continue;
    const next = words[at + 1];
    const takesNext = value === undefined && next !== undefined && !next.startsWith("-");
    if (takesNext) at += 1;
    const values = flags.get(name) ?? [];
    values.push(value ?? (takesNext ? next : "true"));
    flags.set(name, values);
  }
  return flags;
}

/** The last value of a flag, which is the one that counts; undefined when it is not there or empty. */
export function lastValue(flags: Flags, name: string): string | undefined {
  const value = flags.get(name)?.at(-1);
  return value === "" ? undefined : value;
}

/** All values of a flag that takes a list: given several times, or separated by commas. */
export function listValue(flags: Flags, name: string): string[] {
  return (flags.get(name) ?? []).flatMap((value) => value.split(",")).filter((value) => value !== "");
}

/** The help of a program with these flags: a line for each, which test harnesses search. */
export function flagHelp(title: string, flags: { readonly [name: string]: string }): string {
  const lines = Object.entries(flags).map(([name, meaning]) => `      --${name.padEnd(36)} ${meaning}`);
  return `${title}\n\nFlags:\n${lines.join("\n")}\n`;
}
