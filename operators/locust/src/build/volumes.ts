import type { DeepReadonly } from "homeostat";
import type { Volume, VolumeMount } from "@homeostat/kubernetes/core/v1";
import type { Test } from "../api/locust-test.ts";
import { nodeName, type Role, withoutDots } from "../api/names.ts";
import { nameOf } from "./objects.ts";

type TestFiles = Test["spec"]["testFiles"];

/** The name of the volume with library files. */
export const libVolume = "locust-lib";

/** Returns the mount path of the files of the test. */
export function srcPath(files: TestFiles): string {
  return files?.srcMountPath || "/lotest/src";
}

/** Returns the mount path of the library files. */
export function libPath(files: TestFiles): string {
  return files?.libMountPath || "/opt/locust/lib";
}

/** Builds the volumes of a role's pods. A user's volume is included only where it is mounted. */
export function volumesFor(test: Test, role: Role): DeepReadonly<Volume>[] {
  const { testFiles, env, volumes = [] } = test.spec;
  const { configMapRef = "", libConfigMapRef = "" } = testFiles ?? {};
  const names = secretVolumeNames((env?.secretMounts ?? []).map(({ name }) => name));
  const mounted = new Set(userMounts(test, role).map(({ name }) => name));
  return [
    ...(configMapRef === "" ? [] : [{ name: nodeName(nameOf(test), role), configMap: { name: configMapRef } }]),
    ...(libConfigMapRef === "" ? [] : [{ name: libVolume, configMap: { name: libConfigMapRef } }]),
    ...[...names].map(([secretName, name]) => ({ name, secret: { secretName } })),
    ...volumes.filter(({ name }) => mounted.has(name)),
  ];
}

/** Builds the mounts of a role's Locust container. */
export function mountsFor(test: Test, role: Role): DeepReadonly<VolumeMount>[] {
  const { testFiles, env } = test.spec;
  const { configMapRef = "", libConfigMapRef = "" } = testFiles ?? {};
  const secretMounts = env?.secretMounts ?? [];
  const names = secretVolumeNames(secretMounts.map(({ name }) => name));
  return [
    ...(configMapRef === "" ? [] : [{ name: nodeName(nameOf(test), role), mountPath: srcPath(testFiles) }]),
    ...(libConfigMapRef === "" ? [] : [{ name: libVolume, mountPath: libPath(testFiles) }]),
    ...secretMounts.map(({ name, mountPath, readOnly }) => ({ name: names.get(name) ?? name, mountPath, readOnly })),
    ...userMounts(test, role),
  ];
}

function userMounts({ spec }: Test, role: Role): DeepReadonly<VolumeMount>[] {
  return (spec.volumeMounts ?? []).flatMap(({ target, ...mount }) =>
    target === role || target === "both" ? [mount] : [],
  );
}

const volumeNameLengthMax = 63;
const stemLength = 46;

/**
 * Returns the volume name of each Secret, in the order of the first mounts.
 *
 * The name is `secret-<Secret>` with dots replaced. If that name is too long or another Secret has the same, it is
 * truncated and gets a hash. Of two Secrets with the same plain name, the one without dots keeps it, because earlier releases gave
 * its volume that name.
 */
export function secretVolumeNames(secrets: readonly string[]): Map<string, string> {
  const distinct = [...new Set(secrets)];
  const plain = (secret: string): string => `secret-${withoutDots(secret)}`;
  return new Map(
    distinct.map((secret) => {
      const name = plain(secret);
      const isTaken = secret.includes(".") && distinct.some((other) => other !== secret && plain(other) === name);
      if (!isTaken && name.length <= volumeNameLengthMax) return [secret, name];
      return [secret, `${name.slice(0, stemLength)}-${fnv1a(secret)}`];
    }),
  );
}

/** Returns the 32-bit FNV-1a hash as eight hexadecimal digits. */
function fnv1a(text: string): string {
  let value = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) value = Math.imul(value ^ byte, 0x01000193) >>> 0;
  return value.toString(16).padStart(8, "0");
}
