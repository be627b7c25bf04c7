import { mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Writes a chart's files into a folder, and returns the templates in it that are not the chart's, which helm would take up. */
export async function writeChart(folder: string, files: ReadonlyMap<string, string>): Promise<readonly string[]> {
  for (const [path, text] of files) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  const there = await readdir(join(folder, "templates"));
  return there.map((name) => `templates/${name}`).filter((path) => !files.has(path));
}
