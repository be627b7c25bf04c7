import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Root folder of the repository. */
export const root: string = fileURLToPath(new URL("../../../..", import.meta.url));

/** A file of the repository: its path below the root and its text. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** Returns the paths of all tracked and untracked, not ignored files, sorted and relative to the root, without deleted ones. */
export function listFiles(): string[] {
  const output = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
  });
  return [...new Set(output.split("\n"))].filter((path) => path !== "" && existsSync(join(root, path))).sort();
}

/** Returns the files whose paths match, with their texts. */
export function readFiles(matches: (path: string) => boolean): SourceFile[] {
  return listFiles()
    .filter(matches)
    .map((path) => ({ path, text: readText(path) }));
}

/** Returns the text of a file of the repository. */
export function readText(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

/** Reports whether a path is product code: TypeScript that is published, not a test or its helpers, a tool, benchmark or example. */
export function isProductCode(path: string): boolean {
  return /^(packages|operators|apps)\/[^/]+\/src\/.*\.tsx?$/.test(path) && !isTestCode(path);
}

/** Reports whether a path is a test or a test helper. */
export function isTestCode(path: string): boolean {
  return path.endsWith(".test.ts") || path.includes("/src/testing/");
}

/** Returns the line number of an offset, counted from 1. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

/** Replaces comments and plain strings with spaces, so that only code is searched. Offsets do not change. */
export function codeOnly(text: string): string {
  const blank = (match: string): string => match.replace(/[^\n]/g, " ");
  return text.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g, blank);
}
