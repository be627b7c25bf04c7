import { lineAt } from "./tree.ts";

/** A table in source code whose keys are built-in resources. */
export interface KindTable {
  readonly line: number;
  readonly resources: readonly string[];
}

/** Literal list, set or map: brackets with string literals, or with entries that start with one. */
const lists = /\[(?:\s*(?:"[^"\n]*"|\[\s*"[^"\n]*"(?:[^[\]]|\[[^[\]]*\])*\])\s*,?)+\s*\]/g;
/** The key of an entry: the first string of a nested bracket, or a string of a flat list. */
const entryKeys = /\[\s*"([^"\n]*)"\s*,/g;
const texts = /"([^"\n]*)"/g;
const cases = /\bcase\s+"([^"\n]*)"\s*:/g;
/** Entries and properties whose key contains a group. Without a group, `services` could be the name of a field. */
const qualifiedEntries = /\[\s*"(\w+\.[\w.]*)"\s*,/g;
const qualifiedProperties = /[{,]\s*"(\w+\.[\w.]*)"\s*:/g;

/**
 * Finds the tables in a source text that are keyed by at least two of these resources: lists, sets, maps, the cases of a switch, and
 * the properties of object literals.
 *
 * `resources` contains all forms of resource keys: `pods`, `pods.`, `deployments.apps`.
 */
export function kindTables(text: string, resources: ReadonlySet<string>): KindTable[] {
  const code = withoutComments(text);
  const found: KindTable[] = [];
  const add = (offset: number, names: Iterable<string>): void => {
    const known = [...new Set(names)].filter((name) => resources.has(name));
    const line = lineAt(code, offset);
    if (known.length > 1 && !found.some((table) => table.line === line)) found.push({ line, resources: known });
  };
  for (const { index, 0: list } of code.matchAll(lists)) {
    const inside = list.slice(1, -1);
    add(index, keysIn(inside, inside.includes("[") ? entryKeys : texts));
  }
  for (const pattern of [cases, qualifiedEntries, qualifiedProperties]) {
    const matches = [...code.matchAll(pattern)];
    add(
      matches[0]?.index ?? 0,
      matches.map((match) => match[1] ?? ""),
    );
  }
  return found;
}

function keysIn(list: string, pattern: RegExp): string[] {
  return [...list.matchAll(pattern)].map((match) => match[1] ?? "");
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, (match) => match.replace(/[^\n]/g, " "));
}
