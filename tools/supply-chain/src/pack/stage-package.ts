import { chmod, copyFile, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { isRecord, root } from "../repository.ts";
import { entryPaths, publishedManifest } from "./published-manifest.ts";
import { reachableFiles } from "./reachable-files.ts";

/** The line at the end of a program that names its source map. */
const mapComment = /\n\/\/# sourceMappingURL=\S+\s*$/;

/**
 * Writes a package into the folder `target` as it is published.
 *
 * The folder of a package contains its modules, their tests and its bundles. Only what its published entry points need is copied, and the files that
 * its manifest lists, so that no code is published twice.
 */
export async function stagePackage(folder: string, target: string): Promise<void> {
  const source = join(root, folder);
  const manifest: unknown = JSON.parse(await readFile(join(source, "package.json"), "utf8"));
  if (!isRecord(manifest)) throw new Error(`${folder}/package.json must contain an object`);
  const listed = Array.isArray(manifest["files"]) ? manifest["files"].map(String) : [];

  const paths = entryPaths(publishedManifest({ ...manifest, dependencies: {} }, { imported: new Set(), files: [] }));
  const fixed = (await Promise.all(listed.map((path) => filesBelow(source, path)))).flat();
  const programs: string[] = [];
  for (const file of fixed) if (await isExecutable(join(source, file))) programs.push(file);
  const entries = (await Promise.all(paths.map((path) => expanded(source, path)))).flat();
  const { files, imported } = await reachableFiles(source, [
    ...new Set([...entries, ...programs].filter((file) => /\.js$|\.d\.ts$|\/[^./]+$/.test(file))),
  ]);

  const all = new Set([...fixed, ...entries, ...files]);
  for (const file of all) await copy(source, target, file);
  await copy(source, target, "README.md");
  await copy(root, target, "LICENSE");
  const topLevel = [...new Set([...all].map((file) => file.split("/")[0] ?? file))];
  const published = publishedManifest(manifest, { imported, files: topLevel });
  await writeFile(join(target, "package.json"), `${JSON.stringify(published, null, 2)}\n`);
}

/** Returns the files that a path of a manifest stands for. A `*` stands for any text, as in `exports`. */
async function expanded(source: string, path: string): Promise<readonly string[]> {
  const [before = "", after] = relative(".", path).split("*");
  if (after === undefined) return [before];
  return (await filesBelow(source, dirname(`${before}x`))).filter(
    (file) => file.startsWith(before) && file.endsWith(after),
  );
}

async function filesBelow(source: string, path: string): Promise<readonly string[]> {
  if (!(await stat(join(source, path))).isDirectory()) return [path];
  const entries = await readdir(join(source, path), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(source, join(entry.parentPath, entry.name)))
    .toSorted();
}

async function isExecutable(path: string): Promise<boolean> {
  return (await readFile(path, "utf8")).startsWith("#!");
}

/** Copies a file. A program loses its source map when the map refers to sources that are not published. */
async function copy(source: string, target: string, file: string): Promise<void> {
  const from = join(source, file);
  const to = join(target, file);
  if (file.endsWith(".map") && !(await hasSources(from))) return;
  await mkdir(dirname(to), { recursive: true });
  if (file.endsWith(".js") && existsSync(`${from}.map`) && !(await hasSources(`${from}.map`))) {
    await writeFile(to, (await readFile(from, "utf8")).replace(mapComment, "\n"));
  } else await copyFile(from, to);
  await chmod(to, (await stat(from)).mode & 0o777);
}

async function hasSources(map: string): Promise<boolean> {
  const parsed: unknown = JSON.parse(await readFile(map, "utf8"));
  return isRecord(parsed) && Array.isArray(parsed["sourcesContent"]);
}
