import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Folder of the generated files. */
export const outputFolder: string = fileURLToPath(
  new URL("../../../packages/kubernetes/src/generated", import.meta.url),
);

/** Returns the relative paths of files that are missing, superfluous or different. */
export function differences(files: ReadonlyMap<string, string>, folder: string = outputFolder): string[] {
  const present = listFiles(folder);
  const changed = [...files].filter(
    ([path, text]) => !present.includes(path) || readFileSync(join(folder, path), "utf8") !== text,
  );
  const superfluous = present.filter((path) => !files.has(path));
  return [...changed.map(([path]) => path), ...superfluous].sort();
}

/** Writes the files and removes all others from the folder. */
export function writeFiles(files: ReadonlyMap<string, string>, folder: string = outputFolder): void {
  for (const path of differences(files, folder)) {
    const text = files.get(path);
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    if (text === undefined) rmSync(target);
    else writeFileSync(target, text);
  }
}

function listFiles(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}
