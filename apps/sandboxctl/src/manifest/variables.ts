// Variables of manifests: `@{name}` stands for a value of `--set name=value`, and `@{embed: path}` for the content of a file.
//
// Values are inserted into the parsed document and not into its text, so a value can never change the structure of the manifest. Before parsing, the
// text contains placeholders. A variable that is a whole unquoted value may become a number or a boolean; in quotes it is always a text.

import { isList, isRecord, UsageError } from "@homeostat/core";

/** Reads the file of `@{embed: path}`; the path is relative to the manifest. */
export type ReadEmbedded = (path: string) => Promise<string>;

/** Values of variables by name. */
export type Variables = ReadonlyMap<string, string>;

interface Placeholder {
  readonly token: string;
  readonly value: string;
  readonly isQuoted: boolean;
}

/** A manifest with placeholders, and the function that replaces them in its parsed form. */
export interface PreparedText {
  readonly text: string;
  readonly resolve: (value: unknown) => unknown;
  /** Names of the variables that the text uses. */
  readonly used: ReadonlySet<string>;
}

const pattern = /@\{\s*(?:embed:\s*(?<path>[^}\n]+?)|(?<name>[A-Za-z_][A-Za-z0-9_.-]*))\s*\}/g;

/** Reads the values of `--set NAME=VALUE`. Throws a {@link UsageError}. */
export function readVariables(texts: readonly string[]): Variables {
  const values = new Map<string, string>();
  for (const text of texts) {
    const at = text.indexOf("=");
    const name = text.slice(0, Math.max(0, at));
    if (!/^[A-Za-z_][A-Za-z0-9_.-]*$/.test(name))
      throw new UsageError(`--set is ${JSON.stringify(text)}; it must be NAME=VALUE.`);
    values.set(name, text.slice(at + 1));
  }
  return values;
}

/** Replaces the variables of a text with placeholders. Throws a {@link UsageError} that lists all variables without a value. */
export async function prepareText(
  text: string,
  { source, variables, readEmbedded }: { source: string; variables: Variables; readEmbedded: ReadEmbedded },
): Promise<PreparedText> {
  const placeholders: Placeholder[] = [];
  const missing = new Set<string>();
  const used = new Set<string>();
  let prepared = "";
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    const { path, name = "" } = match.groups ?? {};
    const value = path === undefined ? variables.get(name) : await readEmbedded(path);
    if (path === undefined) used.add(name);
    if (value === undefined) missing.add(name);
    const token = `sandboxctl-variable-${placeholders.length}-end`;
    const before = text.slice(match.index - 1, match.index);
    placeholders.push({ token, value: value ?? "", isQuoted: path !== undefined || before === '"' || before === "'" });
    prepared += `${text.slice(end, match.index)}${token}`;
    end = match.index + match[0].length;
  }
  if (missing.size > 0) {
    const list = [...missing].join(", ");
    throw new UsageError(`${source} uses the variables ${list}, which have no value; add --set NAME=VALUE for each.`);
  }
  return {
    text: prepared + text.slice(end),
    resolve: (value) => (placeholders.length === 0 ? value : resolved(value, placeholders)),
    used,
  };
}

function resolved(value: unknown, placeholders: readonly Placeholder[]): unknown {
  if (typeof value === "string") return resolvedText(value, placeholders);
  if (isList(value)) return value.map((each) => resolved(each, placeholders));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [String(resolvedText(key, placeholders)), resolved(each, placeholders)]),
  );
}

function resolvedText(text: string, placeholders: readonly Placeholder[]): string | number | boolean {
  const whole = placeholders.find(({ token }) => token === text);
  if (whole !== undefined) return whole.isQuoted ? whole.value : scalarOf(whole.value);
  return text.replaceAll(/sandboxctl-variable-(\d+)-end/g, (token, index: string) => {
    const found = placeholders[Number(index)];
    return found?.token === token ? found.value : token;
  });
}

/** Returns a value as YAML reads it without quotes: integers and booleans have a type of their own. */
function scalarOf(text: string): string | number | boolean {
  if (text === "true" || text === "false") return text === "true";
  return /^-?(?:0|[1-9]\d{0,14})$/.test(text) ? Number(text) : text;
}
