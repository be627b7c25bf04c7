import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

/** Returns the reason why no project can be created in a folder; undefined if it can. */
export function folderProblem(folder: string): string | undefined {
  const path = resolve(folder);
  if (!existsSync(path)) return undefined;
  if (!statSync(path).isDirectory()) return `${folder} is a file. Choose another folder.`;
  if (readdirSync(path).length > 0) return `The folder ${folder} is not empty. Choose a new one.`;
  return path === process.cwd() ? `The folder ${folder} is the current one. Choose a new one below it.` : undefined;
}

/**
 * Writes the files of a project into a new or empty folder: all or none of them.
 *
 * The files are written to a folder beside it, which is renamed at the end. The writes are synchronous, so that a signal cannot interrupt them. The rename
 * fails if the folder is no longer empty.
 */
export function writeProject(folder: string, files: ReadonlyMap<string, string>): void {
  const path = resolve(folder);
  mkdirSync(dirname(path), { recursive: true });
  const draft = mkdtempSync(join(dirname(path), `.${basename(path)}-`));
  try {
    const project = join(draft, "project");
    for (const [file, text] of files) {
      mkdirSync(dirname(join(project, file)), { recursive: true });
      writeFileSync(join(project, file), text);
    }
    renameSync(project, path);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}
