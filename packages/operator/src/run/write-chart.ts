import { mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/**
 * Writes the files of a chart into a directory.
 *
 * Returns the files in `templates/` that do not belong to the chart, such as those of an older version: helm would render them.
 */
export async function writeChart(folder: string, files: ReadonlyMap<string, string>): Promise<readonly string[]> {
  for (const [path, text] of files) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  const there = await readdir(join(folder, "templates"));
  return there.map((name) => `templates/${name}`).filter((path) => !files.has(path));
}
