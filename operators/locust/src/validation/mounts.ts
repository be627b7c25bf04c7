import { quoteText } from "@homeostat/core";
import type { Test } from "../api/locust-test.ts";
import { nodeName, type Role } from "../api/names.ts";
import { nameOf } from "../build/objects.ts";
import { libPath, libVolume, srcPath } from "../build/volumes.ts";
import type { TestProblem } from "./problem.ts";

/** Yields violations of the rules about volumes and mount paths. */
export function* mountRules(test: Test): Iterable<TestProblem> {
  const { env, volumes = [], volumeMounts = [] } = test.spec;
  const reserved = reservedPaths(test);

  for (const [index, { mountPath }] of (env?.secretMounts ?? []).entries()) {
    const other = conflictingPath(mountPath, reserved);
    if (other === undefined) continue;
    const message = `secretMount path ${quoteText(mountPath)} conflicts with reserved path ${quoteText(other)}; operator uses this path for test files`;
    yield { rule: "SecretMountOnReservedPath", path: `spec.env.secretMounts[${index}].mountPath`, message };
  }

  const names = new Set<string>();
  for (const [index, { name }] of volumes.entries()) {
    const path = `spec.volumes[${index}].name`;
    yield* volumeNameRules(test, name, path);
    if (names.has(name)) {
      yield { rule: "VolumeNameUsedTwice", path, message: `volume name ${quoteText(name)} is used twice` };
    }
    names.add(name);
  }

  for (const [index, { name, mountPath }] of volumeMounts.entries()) {
    const other = conflictingPath(mountPath, reserved);
    if (other !== undefined) {
      const message = `volumeMount path ${quoteText(mountPath)} conflicts with reserved path ${quoteText(other)}`;
      yield { rule: "VolumeMountOnReservedPath", path: `spec.volumeMounts[${index}].mountPath`, message };
    }
    if (!names.has(name)) {
      const message = `volumeMount ${quoteText(name)} references undefined volume`;
      yield { rule: "VolumeUndefined", path: `spec.volumeMounts[${index}].name`, message };
    }
  }

  yield* mountPathsUsedTwice(test);
}

function* volumeNameRules(test: Test, name: string, path: string): Iterable<TestProblem> {
  if (name.startsWith("secret-")) {
    const message = `volume name ${quoteText(name)} uses reserved prefix "secret-"`;
    yield { rule: "VolumePrefixReserved", path, message };
  }
  if (name === libVolume) {
    yield { rule: "VolumeNameReserved", path, message: `volume name "${libVolume}" is reserved by the operator` };
  }
  if (name === nodeName(nameOf(test), "master") || name === nodeName(nameOf(test), "worker")) {
    const message = `volume name ${quoteText(name)} conflicts with operator-generated name`;
    yield { rule: "VolumeNameGenerated", path, message };
  }
}

/** Returns the paths for test files. Without any files both are reserved, so that adding files later breaks nothing. */
function reservedPaths({ spec: { testFiles } }: Test): string[] {
  const hasSrc = (testFiles?.configMapRef ?? "") !== "";
  const hasLib = (testFiles?.libConfigMapRef ?? "") !== "";
  return [...(hasSrc || !hasLib ? [srcPath(testFiles)] : []), ...(hasLib || !hasSrc ? [libPath(testFiles)] : [])];
}

/** Returns the reserved path that equals a path or is above or below it. */
function conflictingPath(path: string, reserved: readonly string[]): string | undefined {
  return reserved.find((other) => {
    const [a, b] = [withoutSlash(path), withoutSlash(other)];
    return a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);
  });
}

function* mountPathsUsedTwice(test: Test): Iterable<TestProblem> {
  const reported = new Set<string>();
  for (const role of ["master", "worker"] as const) {
    const used = new Set<string>();
    for (const { path, mountPath } of mountPathsIn(test, role)) {
      const key = withoutSlash(mountPath);
      if (used.has(key) && !reported.has(path)) {
        reported.add(path);
        yield { rule: "MountPathUsedTwice", path, message: `mountPath ${quoteText(mountPath)} is used twice` };
      }
      used.add(key);
    }
  }
}

function mountPathsIn({ spec }: Test, role: Role): { path: string; mountPath: string }[] {
  const { testFiles, env, volumeMounts = [] } = spec;
  const files = [
    { ref: testFiles?.configMapRef, path: "spec.testFiles.srcMountPath", mountPath: srcPath(testFiles) },
    { ref: testFiles?.libConfigMapRef, path: "spec.testFiles.libMountPath", mountPath: libPath(testFiles) },
  ];
  return [
    ...files.filter(({ ref = "" }) => ref !== ""),
    ...(env?.secretMounts ?? []).map(({ mountPath }, index) => {
      return { path: `spec.env.secretMounts[${index}].mountPath`, mountPath };
    }),
    ...volumeMounts
      .map(({ mountPath, target }, index) => ({ path: `spec.volumeMounts[${index}].mountPath`, mountPath, target }))
      .filter(({ target }) => target === role || target === "both"),
  ];
}

function withoutSlash(path: string): string {
  return path.endsWith("/") ? path.slice(0, -1) : path;
}
