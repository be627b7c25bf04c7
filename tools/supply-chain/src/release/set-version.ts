import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { workspaceFolders } from "../lockfile/published.ts";
import { isRecord, readRecord, root } from "../repository.ts";

const semver = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;

/** Fields of a manifest that name other packages with the versions that they accept. */
const dependencyFields = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];

type Manifest = Readonly<Record<string, unknown>>;

/** Returns a `package.json` with a version, for the package and for the packages of this repository that it needs. */
function withVersionIn(manifest: Manifest, version: string, own: ReadonlySet<string>): Manifest {
  const dependencies = Object.fromEntries(
    dependencyFields.flatMap((field) => {
      const names = manifest[field];
      if (!isRecord(names)) return [];
      return [
        [
          field,
          Object.fromEntries(Object.entries(names).map(([name, range]) => [name, own.has(name) ? version : range])),
        ],
      ];
    }),
  );
  return { ...manifest, ...("version" in manifest && { version }), ...dependencies };
}

/** Returns the text of a `package.json` with a version, for the package and for the packages of this repository that it needs. */
export function withVersion(manifest: string, version: string, own: ReadonlySet<string>): string {
  return textOf(withVersionIn(recordIn(manifest, "package.json"), version, own));
}

/** Returns the text of a `package-lock.json` in which the packages of this repository have a version. */
export function withLockedVersion(lockfile: string, version: string, own: ReadonlySet<string>): string {
  const parsed = recordIn(lockfile, "package-lock.json");
  const packages = isRecord(parsed["packages"]) ? Object.entries(parsed["packages"]) : [];
  const changed = packages.map(([path, entry]) => {
    const isOwn = !path.includes("node_modules/") && isRecord(entry);
    return [path, isOwn ? withVersionIn(entry, version, own) : entry];
  });
  return textOf({ ...parsed, ...("version" in parsed && { version }), packages: Object.fromEntries(changed) });
}

/**
 * Sets the version of all packages of this repository, published or not: a private package that keeps an older version could not be linked to
 * the packages that need it. Returns their names. Throws if the version is not a semantic version.
 */
export function setVersion(version: string): readonly string[] {
  if (!semver.test(version)) throw new Error(`${JSON.stringify(version)} is not a semantic version such as 1.2.0`);
  const folders = workspaceFolders();
  const own = new Set(folders.map((folder) => String(readRecord(`${folder}/package.json`)["name"])));
  for (const folder of ["", ...folders]) rewrite(join(folder, "package.json"), withVersion, version, own);
  rewrite("package-lock.json", withLockedVersion, version, own);
  rewrite(constantFile, withConstant, version, own);
  return [...own];
}

/** Module with the version that programs print. */
export const constantFile = "packages/core/src/release-version.ts";

/** Returns the text of the module with another version. Throws if it has none. */
export function withConstant(module: string, version: string): string {
  const constant = /(export const releaseVersion = )"[^"]*";/;
  if (!constant.test(module)) throw new Error(`${constantFile} must contain the constant releaseVersion`);
  return module.replace(constant, `$1${JSON.stringify(version)};`);
}

function rewrite(file: string, change: typeof withVersion, version: string, own: ReadonlySet<string>): void {
  const path = join(root, file);
  writeFileSync(path, change(readFileSync(path, "utf8"), version, own));
}

function recordIn(text: string, file: string): Manifest {
  const parsed: unknown = JSON.parse(text);
  if (!isRecord(parsed)) throw new Error(`${file} must contain an object`);
  return parsed;
}

function textOf(manifest: Manifest): string {
  return `${JSON.stringify(manifest, null, 2)}\n`;
}
