// Which paths in a container are taken, and by whom.

import type { Role } from "../api/identity.ts";
import type { Test } from "../build/objects.ts";
import { libPath, srcPath } from "../build/volumes.ts";
import { quoted, type TestProblem } from "./problem.ts";

/**
 * The paths that are for the files of the test.
 *
 * Without any files both are kept free, so that adding them later breaks nothing.
 */
export function reservedPaths({ spec: { testFiles } }: Test): string[] {
  const hasSrc = (testFiles?.configMapRef ?? "") !== "";
  const hasLib = (testFiles?.libConfigMapRef ?? "") !== "";
  return [...(hasSrc || !hasLib ? [srcPath(testFiles)] : []), ...(hasLib || !hasSrc ? [libPath(testFiles)] : [])];
}

/** The reserved path that a path is equal to, above or below; undefined when it is free. */
export function conflictingPath(path: string, reserved: readonly string[]): string | undefined {
  return reserved.find((other) => {
    const [a, b] = [trimmed(path), trimmed(other)];
    return a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);
  });
}

/** Paths at which two things would be mounted in the same container. */
export function* doubledPaths(test: Test): Iterable<TestProblem> {
  const told = new Set<string>();
  for (const role of ["master", "worker"] as const) {
    const seen = new Set<string>();
    for (const { place, path } of mountedIn(test, role)) {
      const key = trimmed(path);
      if (seen.has(key) && !told.has(place)) {
        told.add(place);
        yield { rule: "S2", path: place, message: `mountPath ${quoted(path)} is used twice` };
      }
      seen.add(key);
    }
  }
}

function mountedIn({ spec }: Test, role: Role): { place: string; path: string }[] {
  const { testFiles, env, volumeMounts = [] } = spec;
  return [
    ...((testFiles?.configMapRef ?? "") === ""
      ? []
      : [{ place: "spec.testFiles.srcMountPath", path: srcPath(testFiles) }]),
    ...((testFiles?.libConfigMapRef ?? "") === ""
      ? []
      : [{ place: "spec.testFiles.libMountPath", path: libPath(testFiles) }]),
    ...(env?.secretMounts ?? []).map(({ mountPath }, index) => ({
      place: `spec.env.secretMounts[${index}].mountPath`,
      path: mountPath,
    })),
    ...volumeMounts.flatMap(({ mountPath, target }, index) =>
      target === role || target === "both" ? [{ place: `spec.volumeMounts[${index}].mountPath`, path: mountPath }] : [],
    ),
  ];
}

function trimmed(path: string): string {
  return path.endsWith("/") ? path.slice(0, -1) : path;
}
