import { readdirSync } from "node:fs";
import { join } from "node:path";

/** Test files of a suite: where they are, and how their names end. */
interface Location {
  readonly folders: readonly string[];
  readonly isTest: (path: string) => boolean;
}

const folders = ["packages", "operators", "apps", "tools", "bench"];
const isIntegration = (path: string): boolean => path.endsWith(".integration.test.ts");
const isTest = (path: string): boolean => path.endsWith(".test.ts");

/**
 * The suites. `unit` and `integration` need only Node.js; `e2e` needs a real Kubernetes. Integration tests run whole operators on the
 * embedded cluster, or other programs, and take seconds per file.
 */
export type Suite = "unit" | "integration" | "e2e";

const suites: Readonly<Record<Suite, Location>> = {
  unit: { folders, isTest: (path) => isTest(path) && !isIntegration(path) },
  integration: { folders, isTest: isIntegration },
  e2e: { folders: ["e2e"], isTest },
};

export function isSuite(name: string): name is Suite {
  return Object.hasOwn(suites, name);
}

/**
 * Returns the compiled test files of a suite, sorted, as paths relative to `root`.
 *
 * Lists the sources and maps them to `dist`, so that a deleted test is not run from an old build.
 */
export function findTests(root: string, suite: Suite, filters: readonly string[] = []): string[] {
  const { folders: searched, isTest: isChosen } = suites[suite];
  const sources = searched.flatMap((folder) => walk(root, folder)).filter(isChosen);
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
