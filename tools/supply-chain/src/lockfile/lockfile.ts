import { isRecord } from "../repository.ts";

/** A package that a lockfile installs. */
export interface LockedPackage {
  /** The path in the lockfile: `node_modules/yaml`, or `packages/client` for a package of the repository. */
  readonly path: string;
  readonly name: string;
  readonly version: string;
  /** The hash of the archive, as in `sha512-...`; undefined for packages of the repository. */
  readonly integrity: string | undefined;
  /** The URL of the archive, if the lockfile has one. */
  readonly resolved: string | undefined;
  readonly license: string | undefined;
  readonly hasInstallScript: boolean;
  /** Names of the production dependencies: required, optional, and peers that are installed. */
  readonly dependencies: readonly string[];
}

/** The packages of a `package-lock.json`, version 3. */
export class Lockfile {
  readonly #packages: ReadonlyMap<string, LockedPackage>;
  /** The real path of each linked package: `node_modules/@homeostat/core` is `packages/core`. */
  readonly #links: ReadonlyMap<string, string>;

  constructor(text: string) {
    const parsed: unknown = JSON.parse(text);
    const entries = isRecord(parsed) && isRecord(parsed["packages"]) ? Object.entries(parsed["packages"]) : [];
    const packages = new Map<string, LockedPackage>();
    const links = new Map<string, string>();
    for (const [path, entry] of entries) {
      if (path === "" || !isRecord(entry)) continue;
      if (entry["link"] === true) links.set(path, textOf(entry["resolved"]) ?? "");
      else packages.set(path, lockedPackage(path, entry));
    }
    this.#packages = packages;
    this.#links = links;
  }

  /** All packages that come from outside the repository. */
  external(): readonly LockedPackage[] {
    return [...this.#packages.values()].filter(({ path }) => isExternal(path));
  }

  /** Returns a package by its path. Throws when the lockfile does not have it. */
  at(path: string): LockedPackage {
    const found = this.#packages.get(path);
    if (found === undefined) throw new Error(`the lockfile has no package at ${path}`);
    return found;
  }

  /** Returns the production dependencies of a package that are installed, in the order of their names. */
  dependenciesOf({ path, dependencies }: LockedPackage): readonly LockedPackage[] {
    return dependencies
      .toSorted()
      .map((name) => this.#resolve(path, name))
      .filter((found) => found !== undefined);
  }

  /** Returns a package and everything that it needs in production, sorted by path, without packages whose paths are left out. */
  closureOf(start: LockedPackage, leftOut: ReadonlySet<string> = new Set()): readonly LockedPackage[] {
    const found = new Map<string, LockedPackage>();
    const visit = (one: LockedPackage): void => {
      if (found.has(one.path) || leftOut.has(one.path)) return;
      found.set(one.path, one);
      for (const dependency of this.dependenciesOf(one)) visit(dependency);
    };
    visit(start);
    return [...found.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** Finds a dependency as Node does: in the package's own `node_modules`, then in those of the folders above. */
  #resolve(from: string, name: string): LockedPackage | undefined {
    for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/")))) {
      const path = folder === "" ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
      const found = this.#packages.get(this.#links.get(path) ?? path);
      if (found !== undefined || folder === "") return found;
    }
  }
}

/** Reports whether a path of the lockfile belongs to a package from outside the repository. */
export function isExternal(path: string): boolean {
  return path.startsWith("node_modules/") || path.includes("/node_modules/");
}

function lockedPackage(path: string, entry: Readonly<Record<string, unknown>>): LockedPackage {
  const afterModules = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
  return {
    path,
    name: textOf(entry["name"]) ?? (isExternal(path) ? afterModules : path),
    version: textOf(entry["version"]) ?? "",
    integrity: textOf(entry["integrity"]),
    resolved: textOf(entry["resolved"]),
    license: textOf(entry["license"]),
    hasInstallScript: entry["hasInstallScript"] === true,
    dependencies: ["dependencies", "optionalDependencies", "peerDependencies"].flatMap((field) => {
      const names = entry[field];
      return isRecord(names) ? Object.keys(names) : [];
    }),
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
