import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { repository } from "../harness/repository.ts";

/** Packs the library packages as they would be published. Returns the paths of the archives. */
export async function packLibraries(folder: string): Promise<string[]> {
  const packages = join(repository, "packages");
  const names = readdirSync(packages).map((name) => `./packages/${name}`);
  const { stdout } = await promisify(execFile)("npm", ["pack", "--json", "--pack-destination", folder, ...names], {
    cwd: repository,
    maxBuffer: 64 * 1024 * 1024,
  });
  const packed: unknown = JSON.parse(stdout);
  if (!Array.isArray(packed)) throw new Error(`unexpected output of npm pack: ${stdout.slice(0, 200)}`);
  return packed.map(({ filename }) => join(folder, String(filename)));
}
