import { posix } from "node:path";
import { importsOf } from "./imports.ts";
import type { SourceFile } from "./tree.ts";

/** An import from one folder of a package to another. */
export interface FolderImport {
  /** The folder of the importing file, directly below `src`. */
  readonly from: string;
  /** The folder of the imported file, directly below `src`. */
  readonly to: string;
  /** The import as shown in messages: `packages/core/src/time/range.ts:3 imports ../errors/parse-error.ts`. */
  readonly text: string;
}

/**
 * Returns the imports between the folders directly below `src`.
 *
 * Imports of types count: a reader who wants to understand a folder must read what its types are made of. Tests do not count: they
 * may use everything. Files in `src` itself do not count either: they put the folders together, as `index.ts` does, or belong to the
 * whole package, as `errors.ts` does.
 */
export function folderImports(src: string, files: readonly SourceFile[]): FolderImport[] {
  return files
    .filter(({ path }) => path.startsWith(`${src}/`) && path.endsWith(".ts") && !path.includes(".test."))
    .flatMap(({ path, text }) => {
      const from = folderOf(src, path);
      return importsOf(text).flatMap(({ specifier, line }) => {
        if (from === undefined || !specifier.startsWith(".")) return [];
        const to = folderOf(src, posix.join(posix.dirname(path), specifier));
        return to === undefined || to === from ? [] : [{ from, to, text: `${path}:${line} imports ${specifier}` }];
      });
    });
}

/** Returns the folder directly below `src` that a file is in; undefined for a file in `src` itself or outside of it. */
function folderOf(src: string, path: string): string | undefined {
  const [folder, ...rest] = path.startsWith(`${src}/`) ? path.slice(src.length + 1).split("/") : [];
  return rest.length === 0 ? undefined : folder;
}

/** A cycle of folders, each of which imports the next one, and the last one the first. */
export interface FolderCycle {
  readonly folders: readonly string[];
  /** One import for each step of the cycle. */
  readonly imports: readonly string[];
}

/** Finds the shortest cycle through each import between folders, each cycle once, sorted. Two folders that import each other are one. */
export function folderCycles(imports: readonly FolderImport[]): FolderCycle[] {
  const steps = new Map<string, Map<string, string>>();
  for (const { from, to, text } of imports) {
    const targets = steps.get(from) ?? new Map<string, string>();
    if (!targets.has(to)) targets.set(to, text);
    steps.set(from, targets);
  }
  const cycles = new Map<string, FolderCycle>();
  for (const [from, targets] of steps) {
    for (const to of targets.keys()) {
      const way = shortestWay(steps, to, from);
      if (way === undefined) continue;
      const folders = rotated(way);
      const next = (index: number): string => folders[(index + 1) % folders.length] ?? "";
      const examples = folders.map((folder, index) => steps.get(folder)?.get(next(index)) ?? "");
      cycles.set(folders.join(" "), { folders, imports: examples });
    }
  }
  return [...cycles.values()].sort((a, b) => (a.folders.join(" ") < b.folders.join(" ") ? -1 : 1));
}

/** Returns the folders on a shortest way from one folder to another, with both; undefined if there is none. */
function shortestWay(
  steps: ReadonlyMap<string, ReadonlyMap<string, string>>,
  start: string,
  end: string,
): readonly string[] | undefined {
  const ways: string[][] = [[start]];
  const reached = new Set([start]);
  for (let way = ways.shift(); way !== undefined; way = ways.shift()) {
    const last = way.at(-1) ?? start;
    if (last === end) return way;
    for (const folder of steps.get(last)?.keys() ?? []) {
      if (!reached.has(folder)) ways.push([...way, folder]);
      reached.add(folder);
    }
  }
  return undefined;
}

/** Returns a cycle that starts with its alphabetically first folder. */
function rotated(cycle: readonly string[]): readonly string[] {
  const start = cycle.indexOf([...cycle].sort()[0] ?? "");
  return [...cycle.slice(start), ...cycle.slice(0, start)];
}
