import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { publishedPackages } from "../lockfile/published.ts";
import { isRecord } from "../repository.ts";
import { stagePackage } from "./stage-package.ts";

/** An archive of a package, as it is published. */
export interface PackedPackage {
  readonly name: string;
  readonly version: string;
  /** Path of the archive. */
  readonly archive: string;
  /** Paths of the files in the archive. */
  readonly files: readonly string[];
}

/** Packs all published packages into a folder. The packages must be built. */
export async function packPackages(folder: string): Promise<readonly PackedPackage[]> {
  await mkdir(folder, { recursive: true });
  const staging = await mkdtemp(join(tmpdir(), "homeostat-pack-"));
  try {
    const targets: string[] = [];
    for (const { folder: source, name } of publishedPackages()) {
      const target = join(staging, name.replace("/", "-"));
      await stagePackage(source, target);
      targets.push(target);
    }
    const { stdout } = await promisify(execFile)(
      "npm",
      ["pack", "--json", "--ignore-scripts", "--pack-destination", folder, ...targets],
      { cwd: staging, maxBuffer: 64 * 1024 * 1024 },
    );
    return packedIn(stdout, folder);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** Reads the output of `npm pack --json`. */
function packedIn(output: string, folder: string): readonly PackedPackage[] {
  const packed: unknown = JSON.parse(output);
  if (!Array.isArray(packed)) throw new Error(`unexpected output of npm pack: ${output.slice(0, 200)}`);
  return packed.map((entry: unknown) => {
    if (!isRecord(entry) || !Array.isArray(entry["files"])) throw new Error("npm pack lists no files");
    return {
      name: String(entry["name"]),
      version: String(entry["version"]),
      archive: join(folder, String(entry["filename"])),
      files: entry["files"].map((file: unknown) => (isRecord(file) ? String(file["path"]) : "")),
    };
  });
}
