import { nodeName } from "../api/names.ts";
import { nameOf, type Test } from "../build/objects.ts";
import { libVolume } from "../build/volumes.ts";
import { conflictingPath, doubledPaths, reservedPaths } from "./paths.ts";
import { quoted, type TestProblem } from "./problem.ts";

/** What is wrong with the volumes of a test and with where they are mounted. */
export function* volumeProblems(test: Test): Iterable<TestProblem> {
  const { env, volumes = [], volumeMounts = [] } = test.spec;
  const reserved = reservedPaths(test);

  for (const [index, { mountPath }] of (env?.secretMounts ?? []).entries()) {
    const other = conflictingPath(mountPath, reserved);
    if (other === undefined) continue;
    const message = `secretMount path ${quoted(mountPath)} conflicts with reserved path ${quoted(other)}; operator uses this path for test files`;
    yield { rule: "S1", path: `spec.env.secretMounts[${index}].mountPath`, message };
  }

  const seen = new Set<string>();
  for (const [index, { name }] of volumes.entries()) {
    yield* volumeNameProblems(test, name, `spec.volumes[${index}].name`);
    if (seen.has(name)) {
      yield { rule: "V6", path: `spec.volumes[${index}].name`, message: `volume name ${quoted(name)} is used twice` };
    }
    seen.add(name);
  }

  for (const [index, { name, mountPath }] of volumeMounts.entries()) {
    const other = conflictingPath(mountPath, reserved);
    if (other !== undefined) {
      const message = `volumeMount path ${quoted(mountPath)} conflicts with reserved path ${quoted(other)}`;
      yield { rule: "V4", path: `spec.volumeMounts[${index}].mountPath`, message };
    }
    if (!seen.has(name)) {
      const message = `volumeMount ${quoted(name)} references undefined volume`;
      yield { rule: "V5", path: `spec.volumeMounts[${index}].name`, message };
    }
  }

  yield* doubledPaths(test);
}

function* volumeNameProblems(test: Test, name: string, path: string): Iterable<TestProblem> {
  if (name.startsWith("secret-")) {
    yield { rule: "V1", path, message: `volume name ${quoted(name)} uses reserved prefix "secret-"` };
  }
  if (name === libVolume) {
    yield { rule: "V2", path, message: `volume name "${libVolume}" is reserved by the operator` };
  }
  if (name === nodeName(nameOf(test), "master") || name === nodeName(nameOf(test), "worker")) {
    yield { rule: "V3", path, message: `volume name ${quoted(name)} conflicts with operator-generated name` };
  }
}
