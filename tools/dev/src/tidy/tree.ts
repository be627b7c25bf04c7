import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's root folder. */
export const root: string = fileURLToPath(new URL("../../../..", import.meta.url));

/** A file of the repository: its path below the root and its text. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** Every file that git tracks or would track, sorted, as paths below the root. Deleted ones are left out. */
export function listFiles(): string[] {
  const output = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
  });
  return [...new Set(output.split("\n"))].filter((path) => path !== "" && existsSync(join(root, path))).sort();
}

/** The files whose paths match, with their texts. */
export function readFiles(matches: (path: string) => boolean): SourceFile[] {
  return listFiles()
    .filter(matches)
    .map((path) => ({ path, text: readText(path) }));
}

/** The text of one file of the repository. */
export function readText(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

/** Whether a path is product code: TypeScript that ships, not a test, a tool, a bench or an example. */
export function isProductCode(path: string): boolean {
  return /^(packages|operators|apps)\/[^/]+\/src\/.*\.ts$/.test(path) && !path.includes(".test.");
}

/** The line, counted from one, at which an offset lies. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

/** The text with comments and the contents of plain strings blanked out, offsets kept, so that only code is searched. */
export function codeOnly(text: string): string {
  const blank = (match: string): string => match.replace(/[^\n]/g, " ");
  return text.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g, blank);
}
