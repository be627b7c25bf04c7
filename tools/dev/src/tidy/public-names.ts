import { codeBlocks } from "./code-blocks.ts";
import { keyOf, type Origin, type PublicName, referencesOf } from "./declarations.ts";
import { isProductCode, readFiles, type SourceFile } from "./tree.ts";

/** A name that a file imports from a package of this repository, or exports again. */
export interface ImportedName {
  readonly specifier: string;
  readonly name: string;
}

/** Returns the names that a file imports by `import { … }` or exports again by `export { … } from`. */
export function importedNames(text: string): ImportedName[] {
  const statements = text.matchAll(
    /(?:^|\n)\s*(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s*from\s*"(homeostat|@homeostat\/[^"]+)"/g,
  );
  return [...statements].flatMap(([, list = "", specifier = ""]) =>
    list
      .replaceAll(/\/\/.*$/gm, "")
      .split(",")
      .map(
        (item) =>
          item
            .trim()
            .replace(/^type /, "")
            .split(" as ")[0] ?? "",
      )
      .filter((name) => name !== "")
      .map((name) => ({ specifier, name })),
  );
}

/** Returns the words in the inline code of a page, in which guides name functions and types: `` `createManager` ``. */
export function wordsInCode(page: string): Set<string> {
  const code = page.replaceAll(/```[\s\S]*?```/g, "").matchAll(/`([^`\n]+)`/g);
  return new Set([...code].flatMap(([, text = ""]) => text.match(/[\w$]+/g) ?? []));
}

/** Returns the files that show or use packages as users do: product code, examples and the programs in pages. */
export function filesOfUsers(): SourceFile[] {
  const shown = new Set(
    pagesOfUsers().flatMap(({ text }) => codeBlocks(text).flatMap(({ source }) => source?.split("#")[0] ?? [])),
  );
  return readFiles(
    (path) => isProductCode(path) || (path.startsWith("examples/") && path.endsWith(".ts")) || shown.has(path),
  );
}

/** Returns the pages for users: guides, and READMEs of everything that is published. */
export function pagesOfUsers(): SourceFile[] {
  return readFiles((path) =>
    /^(?:docs\/guides\/[^/]+|README|(?:packages|operators|apps)\/[^/]+\/README|examples\/README)(?:\.md)$/.test(path),
  );
}

/** Reports whether a name is an error class, which users catch although no signature mentions it. */
export function isErrorClass({ declaration }: PublicName): boolean {
  return /\bdeclare (?:abstract )?class \w+Error\b/.test(declaration);
}

/**
 * Returns the keys of the given origins and of all names in their signatures, and in the signatures of those.
 * `canonical` maps a name of another package to the place where that package declares it.
 */
export function reachable(origins: readonly Origin[], canonical: (origin: Origin) => Origin): Set<string> {
  const found = new Set<string>();
  const waiting = [...origins];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const origin = canonical(next);
    if (found.has(keyOf(origin))) continue;
    found.add(keyOf(origin));
    waiting.push(...referencesOf(origin));
  }
  return found;
}
