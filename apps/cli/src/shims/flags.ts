/** Flags by name, each with all values it was given, as Go programs accept them. */
export type Flags = ReadonlyMap<string, readonly string[]>;

/**
 * Parses `--name=value`, `--name value` and `--name` alone, which means `true`.
 *
 * Positional arguments are ignored: etcd and kube-apiserver take none.
 */
export function readFlags(argv: readonly string[]): Flags {
  const flags = new Map<string, string[]>();
  for (let at = 0; at < argv.length; at += 1) {
    const [, name, value] = /^--?([^=]+)(?:=([^]*))?$/.exec(argv[at] ?? "") ?? [];
    if (name === undefined) continue;
    const next = argv[at + 1];
    const takesNext = value === undefined && next !== undefined && !next.startsWith("-");
    if (takesNext) at += 1;
    const values = flags.get(name) ?? [];
    values.push(value ?? (takesNext ? next : "true"));
    flags.set(name, values);
  }
  return flags;
}

/** Returns the last value of a flag, which overrides earlier ones; undefined when the flag is missing or empty. */
export function lastValue(flags: Flags, name: string): string | undefined {
  const value = flags.get(name)?.at(-1);
  return value === "" ? undefined : value;
}

/** Returns all values of a list flag, given several times or separated by commas. */
export function listValue(flags: Flags, name: string): string[] {
  return (flags.get(name) ?? []).flatMap((value) => value.split(",")).filter((value) => value !== "");
}

/** Returns a help text with one line per flag. envtest searches it to find out which flags a binary supports. */
export function flagHelp(title: string, flags: { readonly [name: string]: string }): string {
  const lines = Object.entries(flags).map(([name, description]) => `      --${name.padEnd(36)} ${description}`);
  return `${title}\n\nFlags:\n${lines.join("\n")}\n`;
}
