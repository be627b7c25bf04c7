import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import type { MountedFile } from "./mounted-files.ts";

/** Writes files of a container below a folder, readable by the user only. Returns their paths. */
export async function writeMountedFiles(files: readonly MountedFile[], folder: string): Promise<readonly string[]> {
  const root = resolve(folder);
  const paths: string[] = [];
  for (const { path, content, isSecret } of files) {
    const target = resolve(join(root, path));
    // Keys of ConfigMaps cannot contain separators, but paths of items and mounts come from the workload.
    if (!target.startsWith(root + sep)) continue;
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await writeFile(target, content, { mode: isSecret ? 0o600 : 0o644 });
    paths.push(target);
  }
  return paths;
}
