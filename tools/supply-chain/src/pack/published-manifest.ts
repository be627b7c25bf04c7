import { isRecord } from "../repository.ts";

/** Fields of a manifest that only this repository uses. */
const repositoryFields: ReadonlySet<string> = new Set(["devDependencies", "files", "private", "scripts"]);

/** Condition under which the repository loads the single modules of a package. */
const repositoryCondition = "development";

/** Facts about the files of an archive. */
export interface PublishedFacts {
  /** Names of the packages that the published files import. */
  readonly imported: ReadonlySet<string>;
  /** Top-level files and folders of the package. */
  readonly files: readonly string[];
}

type Manifest = Readonly<Record<string, unknown>>;

/**
 * Returns the manifest as published: without fields, conditions and entry points that only the repository uses, and without dependencies that are
 * part of the bundles. Throws if the files import a package that is not a dependency.
 */
export function publishedManifest(manifest: Manifest, { imported, files }: PublishedFacts): Manifest {
  const declared = new Set(
    ["dependencies", "peerDependencies"].flatMap((field) =>
      isRecord(manifest[field]) ? Object.keys(manifest[field]) : [],
    ),
  );
  const missing = [...imported].filter((name) => !declared.has(name) && name !== manifest["name"]).toSorted();
  if (missing.length > 0) {
    const name = String(manifest["name"]);
    throw new Error(`${name} imports ${missing.join(", ")}: add this to the dependencies in its package.json`);
  }
  const kept = Object.entries(manifest).flatMap(([field, value]): [string, unknown][] => {
    if (repositoryFields.has(field)) return [];
    if (field === "type")
      return [
        ["files", files.toSorted()],
        [field, value],
      ];
    if (field === "exports" || field === "imports") return [[field, withoutRepositoryConditions(value)]];
    if (field === "dependencies" && isRecord(value)) {
      return [[field, Object.fromEntries(Object.entries(value).filter(([name]) => imported.has(name)))]];
    }
    return [[field, value]];
  });
  return Object.fromEntries(kept);
}

/** Removes the condition of the repository, and entry points that have no other. */
function withoutRepositoryConditions(subpaths: unknown): Manifest {
  if (!isRecord(subpaths)) return {};
  const kept = Object.entries(subpaths).flatMap(([subpath, target]): [string, unknown][] => {
    if (!isRecord(target)) return [[subpath, target]];
    const conditions = Object.entries(target).filter(([condition]) => condition !== repositoryCondition);
    return conditions.some(([condition]) => condition !== "types") ? [[subpath, Object.fromEntries(conditions)]] : [];
  });
  return Object.fromEntries(kept);
}

/** Returns the paths that a manifest refers to, relative to the package: `./dist/bundle.js`. Patterns contain `*`. */
export function entryPaths(manifest: Manifest): readonly string[] {
  return ["bin", "exports", "imports"].flatMap((field) => pathsIn(manifest[field])).toSorted();
}

function pathsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return value.startsWith("./") ? [value] : [];
  return isRecord(value) ? Object.values(value).flatMap(pathsIn) : [];
}
