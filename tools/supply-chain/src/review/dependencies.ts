import type { Lockfile, LockedPackage } from "../lockfile/lockfile.ts";
import { isExternal } from "../lockfile/lockfile.ts";

/** Licenses and packages that were reviewed and may be used. */
export interface Reviewed {
  /** Licenses, as SPDX expressions. */
  readonly licenses: readonly string[];
  /** Packages with an install script, and why the repository works without running it. */
  readonly installScripts: Readonly<Record<string, string>>;
  /** External packages that published packages need in production, and the decision page or the package that brings each. */
  readonly production: Readonly<Record<string, string>>;
}

/** Returns the problems of a lockfile: one sentence each, with the next step. */
export function reviewLockfile(lockfile: Lockfile, { licenses, installScripts }: Reviewed): readonly string[] {
  return lockfile.external().flatMap((one) => {
    const label = `${one.name}@${one.version}`;
    const problems: string[] = [];
    if (one.integrity?.startsWith("sha512-") !== true) {
      problems.push(
        `${label} has no sha512 integrity hash: install it from the registry, not from git, a file or a URL`,
      );
    }
    if (one.resolved !== undefined) {
      problems.push(`${label} is bound to ${one.resolved}: write the lockfile with omit-lockfile-registry-resolved`);
    }
    if (one.hasInstallScript && !Object.hasOwn(installScripts, one.name)) {
      problems.push(
        `${label} has an install script: choose another package, or record why it works without its script`,
      );
    }
    if (one.license === undefined || !licenses.includes(one.license)) {
      problems.push(`${label} has the license ${one.license ?? "(none)"}, which is not on the list`);
    }
    return problems;
  });
}

/** Returns a problem for each production dependency of the given packages without a review, and for each review without a dependency. */
export function reviewProduction(
  lockfile: Lockfile,
  packages: readonly LockedPackage[],
  { production }: Reviewed,
): readonly string[] {
  const needed = new Map<string, string>();
  for (const one of packages) {
    for (const { path, name } of lockfile.closureOf(one)) if (isExternal(path)) needed.set(name, one.name);
  }
  const missing = [...needed].filter(([name]) => !Object.hasOwn(production, name));
  const unused = Object.keys(production).filter((name) => !needed.has(name));
  return [
    ...missing.map(
      ([name, by]) =>
        `${by} now needs ${name} in production: review it, record it in docs/decisions and in reviewed.json`,
    ),
    ...unused.map((name) => `no published package needs ${name}: remove it from reviewed.json`),
  ];
}
