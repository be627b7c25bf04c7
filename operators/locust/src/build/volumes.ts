import type { DeepReadonly } from "@homeostat/core";
import type { Volume, VolumeMount } from "@homeostat/kubernetes/core/v1";
import type { Role } from "../api/identity.ts";
import { nodeName } from "../api/names.ts";
import { nameOf, type Test } from "./objects.ts";
import { secretVolumeNames } from "./secret-volumes.ts";

type TestFiles = Test["spec"]["testFiles"];
type TestMount = NonNullable<Test["spec"]["volumeMounts"]>[number];

/** The name of the volume with library files. */
export const libVolume = "locust-lib";

/** Where the files of the test are found in the pods. */
export function srcPath(files: TestFiles): string {
  return files?.srcMountPath || "/lotest/src";
}

/** Where the library files are found in the pods. */
export function libPath(files: TestFiles): string {
  return files?.libMountPath || "/opt/locust/lib";
}

/** The volumes of the pods of a role. A user's volume is there only where it is mounted. */
export function volumesFor(test: Test, role: Role): DeepReadonly<Volume>[] {
  const { testFiles, env, volumes = [] } = test.spec;
  const { configMapRef = "", libConfigMapRef = "" } = testFiles ?? {};
  const names = secretVolumeNames((env?.secretMounts ?? []).map(({ name }) => name));
  const mounted = new Set(usersMounts(test, role).map(({ name }) => name));
  return [
    ...(configMapRef === "" ? [] : [{ name: nodeName(nameOf(test), role), configMap: { name: configMapRef } }]),
    ...(libConfigMapRef === "" ? [] : [{ name: libVolume, configMap: { name: libConfigMapRef } }]),
    ...[...names].map(([secretName, name]) => ({ name, secret: { secretName } })),
    ...volumes.filter(({ name }) => mounted.has(name)),
  ];
}

/** What is mounted into the Locust container of a role, and where. */
export function mountsFor(test: Test, role: Role): DeepReadonly<VolumeMount>[] {
  const { testFiles, env } = test.spec;
  const { configMapRef = "", libConfigMapRef = "" } = testFiles ?? {};
  const secretMounts = env?.secretMounts ?? [];
  const names = secretVolumeNames(secretMounts.map(({ name }) => name));
  return [
    ...(configMapRef === "" ? [] : [{ name: nodeName(nameOf(test), role), mountPath: srcPath(testFiles) }]),
    ...(libConfigMapRef === "" ? [] : [{ name: libVolume, mountPath: libPath(testFiles) }]),
    ...secretMounts.map(({ name, mountPath, readOnly }) => ({ name: names.get(name) ?? name, mountPath, readOnly })),
    ...usersMounts(test, role),
  ];
}

function usersMounts({ spec }: Test, role: Role): DeepReadonly<VolumeMount>[] {
  return (spec.volumeMounts ?? []).filter(({ target }) => target === role || target === "both").map(withoutTarget);
}

function withoutTarget(mount: TestMount): DeepReadonly<VolumeMount> {
  const { target, ...rest } = mount;
  return target === undefined ? mount : rest;
}
