import { readdirSync } from "node:fs";
import { join } from "node:path";

/** Folders of the suites. `unit` needs only Node.js; `e2e` needs a real Kubernetes. */
export const suites = { unit: ["packages", "operators", "apps", "tools", "bench"], e2e: ["e2e"] } as const;

export type Suite = keyof typeof suites;

export function isSuite(name: string): name is Suite {
  return Object.hasOwn(suites, name);
}

/**
 * Returns the compiled test files of a suite, sorted, as paths relative to `root`.
 *
 * Lists the sources and maps them to `dist`, so that a deleted test is not run from an old build.
 */
export function findTests(root: string, suite: Suite, filters: readonly string[] = []): string[] {
  const sources = suites[suite].flatMap((folder) => walk(root, folder)).filter((path) => path.endsWith(".test.ts"));
  const chosen = filters.length === 0 ? sources : sources.filter((path) => filters.some((part) => path.includes(part)));
  return chosen.map((path) => path.replace("/src/", "/dist/").replace(/\.ts$/, ".js")).sort();
}

/** Returns the path of the source of a compiled file. */
export function sourceOf(compiled: string): string {
  return compiled.replace("/dist/", "/src/").replace(/\.js$/, ".ts");
}

function walk(root: string, folder: string): string[] {
  let entries;
  try {
    entries = readdirSync(join(root, folder), { withFileTypes: true });
  } catch {
    return [];
  }
  return entries.flatMap((entry) => {
    if (entry.name === "node_modules" || entry.name === "dist") return [];
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? walk(root, path) : [path];
  });
}
