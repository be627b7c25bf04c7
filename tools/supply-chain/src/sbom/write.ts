import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Lockfile } from "../lockfile/lockfile.ts";
import { programImages, publishedPackages } from "../lockfile/published.ts";
import { readRecord, readText } from "../repository.ts";
import { baseImages } from "../review/base-images.ts";
import { buildSbom, type Sbom } from "./sbom.ts";

/** The command line, which the package `homeostat` needs and no image contains: images contain bundles of what a program imports. */
const commandLine: ReadonlySet<string> = new Set(["apps/cli"]);

/** Returns the SBOMs of all published packages and program images, by file name. */
export function allSboms(): ReadonlyMap<string, Sbom> {
  const lockfile = new Lockfile(readText("package-lock.json"));
  const base = baseImages(readText("operators/Dockerfile")).images.at(-1);
  const sboms = new Map<string, Sbom>();
  for (const { folder, name } of publishedPackages()) {
    const subject = { type: "library", name, version: versionOf(folder), source: lockfile.at(folder) } as const;
    sboms.set(`${name.replace("@", "").replace("/", "-")}.cdx.json`, buildSbom(lockfile, subject));
  }
  for (const { folder, name } of programImages()) {
    const subject = {
      type: "container",
      name,
      version: versionOf(folder),
      source: lockfile.at(folder),
      leftOut: commandLine,
      ...(base !== undefined && { base }),
    } as const;
    sboms.set(`image-${name}.cdx.json`, buildSbom(lockfile, subject));
  }
  return sboms;
}

/** Writes all SBOMs to a folder and returns the paths. */
export function writeSboms(folder: string): readonly string[] {
  mkdirSync(folder, { recursive: true });
  return [...allSboms()].map(([file, sbom]) => {
    const path = join(folder, file);
    writeFileSync(path, `${JSON.stringify(sbom, null, 2)}\n`);
    return path;
  });
}

/** Reads the version from the manifest. */
function versionOf(folder: string): string {
  return String(readRecord(`${folder}/package.json`)["version"]);
}
