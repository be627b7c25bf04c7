import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { publishedPackages } from "../lockfile/published.ts";
import { isRecord, root } from "../repository.ts";

const semver = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;

/** Returns the text of a `package.json` with a version, for the package and for the packages of this repository that it needs. */
export function withVersion(manifest: string, version: string, own: ReadonlySet<string>): string {
  const parsed: unknown = JSON.parse(manifest);
  if (!isRecord(parsed)) throw new Error("package.json must contain an object");
  const dependencies = Object.fromEntries(
    ["dependencies", "peerDependencies", "optionalDependencies"].flatMap((field) => {
      const names = parsed[field];
      if (!isRecord(names)) return [];
      return [
        [
          field,
          Object.fromEntries(Object.entries(names).map(([name, range]) => [name, own.has(name) ? version : range])),
        ],
      ];
    }),
  );
  return `${JSON.stringify({ ...parsed, version, ...dependencies }, null, 2)}\n`;
}

/** Sets the version of all published packages. Returns their names. Throws if the version is not a semantic version. */
export function setVersion(version: string): readonly string[] {
  if (!semver.test(version)) throw new Error(`${JSON.stringify(version)} is not a semantic version such as 1.2.0`);
  const packages = publishedPackages();
  const own = new Set(packages.map(({ name }) => name));
  for (const { folder } of packages) {
    const path = join(root, folder, "package.json");
    writeFileSync(path, withVersion(readFileSync(path, "utf8"), version, own));
  }
  return [...own];
}
