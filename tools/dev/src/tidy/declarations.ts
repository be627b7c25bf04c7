// Reads the public names of a package, with their declarations, out of the compiled `.d.ts` files.

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A public name and its declaration as emitted by the compiler, without comments. */
export interface PublicName {
  readonly name: string;
  readonly declaration: string;
}

/** Returns the public names of a compiled module, sorted. Throws on `export *`: public names must be listed explicitly. */
export function publicNames(file: string): PublicName[] {
  return exportedFrom(file)
    .map(({ name, local, from }) => ({ name, declaration: declarationOf(local, from, file) }))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

interface Export {
  readonly name: string;
  readonly local: string;
  /** The module it is re-exported from; undefined when it is declared in the file itself. */
  readonly from: string | undefined;
}

function exportedFrom(file: string): Export[] {
  const text = withoutComments(readFileSync(file, "utf8"));
  const star = /export \* (?:as \w+ )?from "([^"]+)"/.exec(text);
  if (star !== null) throw new Error(`${file} uses export * from ${star[1]}; list the public names`);
  const listed = [...text.matchAll(/^export (?:type )?\{([^}]*)\}(?: from "([^"]+)")?;/gm)].flatMap((match) =>
    (match[1] ?? "")
      .split(",")
      .map((item) => item.trim().replace(/^type /, ""))
      .filter((item) => item !== "")
      .map((item) => {
        const [local = "", name = local] = item.split(" as ");
        return { name, local, from: match[2] };
      }),
  );
  const declared = statements(text).flatMap((statement) => {
    const name = declaredName(statement);
    return name === undefined || !statement.startsWith("export ") ? [] : [{ name, local: name, from: undefined }];
  });
  return [...listed, ...unique(declared)];
}

function declarationOf(name: string, from: string | undefined, importer: string): string {
  // Names of another package are described in that package's report.
  if (from !== undefined && !from.startsWith(".")) return `export { ${name} } from "${from}";`;
  const file = from === undefined ? importer : join(dirname(importer), from.replace(/\.(?:js|ts)$/, ".d.ts"));
  const found = statements(withoutComments(readFileSync(file, "utf8"))).filter((text) => declaredName(text) === name);
  if (found.length > 0) return found.join("\n");
  const again = exportedFrom(file).find((candidate) => candidate.name === name);
  if (again === undefined || again.from === undefined) throw new Error(`${file} does not declare ${name}`);
  return declarationOf(again.local, again.from, file);
}

function declaredName(statement: string): string | undefined {
  return /^(?:export )?(?:declare )?(?:abstract )?(?:class|function|const|let|interface|type)\s+([\w$]+)/.exec(
    statement,
  )?.[1];
}

/** Splits a declaration file into its top-level statements. */
function statements(text: string): string[] {
  const found: string[] = [];
  let depth = 0;
  let current: string[] = [];
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue;
    current.push(line);
    for (const character of line.replace(/"(?:[^"\\]|\\.)*"/g, "")) {
      if ("{([".includes(character)) depth += 1;
      else if ("})]".includes(character)) depth -= 1;
    }
    if (depth === 0 && /[;}]\s*$/.test(line)) {
      found.push(current.join("\n"));
      current = [];
    }
  }
  return found;
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
}

function unique(items: Export[]): Export[] {
  return items.filter((item, index) => items.findIndex(({ name }) => name === item.name) === index);
}
