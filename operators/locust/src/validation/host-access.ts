// Rejects fields that give a pod access to its node, unless the operator allows them. Otherwise users who may create tests could
// become root on nodes. The rules cover the Pod Security Standard `baseline` and volume types that act on the node. Host network,
// PID and IPC namespaces need no rule: a test has no field for them.

import type { DeepReadonly } from "homeostat";
import {
  appArmorAnnotationPrefix,
  isBaselineAppArmorAnnotation,
  isBaselineCapability,
  isBaselineProfileType,
  isBaselineSELinuxType,
  isBaselineSysctl,
  quoteText,
} from "@homeostat/core";
import type { PodSecurityContext, SecurityContext, Volume } from "@homeostat/kubernetes/core/v1";
import type { Test } from "../api/locust-test.ts";
import type { Settings } from "../settings/settings.ts";
import type { TestProblem } from "./problem.ts";

/** Volume types that reach the file system, the devices or the drivers of a node. */
const hostVolumes = [
  ["hostPath", "gives access to the file system of the node"],
  ["flexVolume", "runs a driver on the node"],
  ["gitRepo", "runs git as root on the node"],
  ["fc", "attaches a device to the node"],
  ["iscsi", "attaches a device to the node"],
] as const satisfies readonly (readonly [keyof Volume, string])[];

/** HostAccessNotAllowed: rejects volumes with host access and privileged security contexts unless ALLOW_HOST_ACCESS is set. */
export function* hostAccessRule(test: Test, { security }: Settings): Iterable<TestProblem> {
  if (security.allowHostAccess) return;
  const { volumes = [], volumeMounts = [], security: contexts } = test.spec;
  for (const [index, volume] of volumes.entries()) yield* volumeProblems(volume, `spec.volumes[${index}]`);
  for (const [index, { mountPropagation }] of volumeMounts.entries()) {
    if (mountPropagation !== "Bidirectional") continue;
    const path = `spec.volumeMounts[${index}].mountPropagation`;
    yield problem(path, '"Bidirectional" mounts volumes on the node');
  }
  yield* contextProblems(contexts?.podSecurityContext, "spec.security.podSecurityContext");
  for (const [index, { name }] of (contexts?.podSecurityContext?.sysctls ?? []).entries()) {
    if (isBaselineSysctl(name)) continue;
    const path = `spec.security.podSecurityContext.sysctls[${index}].name`;
    yield problem(path, `${quoteText(name)} can change a kernel parameter of the node`);
  }
  yield* contextProblems(contexts?.containerSecurityContext, "spec.security.containerSecurityContext");
  yield* privilegeProblems(contexts?.containerSecurityContext, "spec.security.containerSecurityContext");
  for (const role of ["master", "worker"] as const) {
    for (const [key, value] of Object.entries(test.spec[role].annotations ?? {})) {
      if (!key.startsWith(appArmorAnnotationPrefix) || isBaselineAppArmorAnnotation(value)) continue;
      yield problem(`spec.${role}.annotations`, `${quoteText(key)} disables AppArmor`);
    }
  }
}

/** ServiceAccountTokenNotAllowed: rejects volumes with credentials of the service account unless pods get its token anyway. */
export function* serviceAccountTokenRule(test: Test, { security }: Settings): Iterable<TestProblem> {
  if (security.mountServiceAccountToken) return;
  for (const [index, { projected }] of (test.spec.volumes ?? []).entries()) {
    for (const [at, source] of (projected?.sources ?? []).entries()) {
      for (const type of ["serviceAccountToken", "podCertificate"] as const) {
        if (source[type] === undefined) continue;
        const path = `spec.volumes[${index}].projected.sources[${at}].${type}`;
        const message =
          "gives the pod credentials of its service account, which is not allowed; remove it, or ask the cluster administrator to set MOUNT_SERVICE_ACCOUNT_TOKEN on the operator";
        yield { rule: "ServiceAccountTokenNotAllowed", path, message };
      }
    }
  }
}

function* volumeProblems(volume: DeepReadonly<Volume>, path: string): Iterable<TestProblem> {
  for (const [type, reason] of hostVolumes) {
    if (volume[type] === undefined) continue;
    const value = type === "hostPath" ? `${quoteText(volume.hostPath?.path ?? "")} ` : "";
    yield problem(`${path}.${type}`, `${value}${reason}`);
  }
}

type AnyContext = DeepReadonly<Pick<SecurityContext & PodSecurityContext, SharedField>>;
type SharedField = "seccompProfile" | "appArmorProfile" | "seLinuxOptions" | "windowsOptions";

/** Yields problems of fields that pods and containers share. */
function* contextProblems(context: AnyContext | undefined, path: string): Iterable<TestProblem> {
  if (context === undefined) return;
  const { seccompProfile, appArmorProfile, seLinuxOptions, windowsOptions } = context;
  if (seccompProfile !== undefined && !isBaselineProfileType(seccompProfile.type)) {
    yield problem(`${path}.seccompProfile.type`, `${quoteText(seccompProfile.type)} disables seccomp`);
  }
  if (appArmorProfile !== undefined && !isBaselineProfileType(appArmorProfile.type)) {
    yield problem(`${path}.appArmorProfile.type`, `${quoteText(appArmorProfile.type)} disables AppArmor`);
  }
  if (!isBaselineSELinuxType(seLinuxOptions?.type ?? "")) {
    yield problem(
      `${path}.seLinuxOptions.type`,
      `${quoteText(seLinuxOptions?.type ?? "")} can weaken the confinement of the container`,
    );
  }
  for (const part of ["user", "role"] as const) {
    const value = seLinuxOptions?.[part] ?? "";
    if (value !== "")
      yield problem(
        `${path}.seLinuxOptions.${part}`,
        `${quoteText(value)} can weaken the confinement of the container`,
      );
  }
  if (windowsOptions?.hostProcess === true) {
    yield problem(`${path}.windowsOptions.hostProcess`, "true runs the container directly on the node");
  }
}

function* privilegeProblems(context: DeepReadonly<SecurityContext> | undefined, path: string): Iterable<TestProblem> {
  if (context === undefined) return;
  const { privileged, allowPrivilegeEscalation, procMount = "Default", capabilities } = context;
  if (privileged === true) yield problem(`${path}.privileged`, "true gives the container full access to the node");
  if (allowPrivilegeEscalation === true) {
    yield problem(`${path}.allowPrivilegeEscalation`, "true lets processes gain more privileges than their parent");
  }
  if (procMount !== "Default") {
    yield problem(
      `${path}.procMount`,
      `${quoteText(procMount)} exposes parts of /proc that the container runtime masks`,
    );
  }
  for (const [index, name] of (capabilities?.add ?? []).entries()) {
    if (isBaselineCapability(name)) continue;
    yield problem(`${path}.capabilities.add[${index}]`, `${quoteText(name)} can allow an escape from the container`);
  }
}

function problem(path: string, reason: string): TestProblem {
  const message = `${reason}, which is not allowed; remove it, or ask the cluster administrator to set ALLOW_HOST_ACCESS on the operator`;
  return { rule: "HostAccessNotAllowed", path, message };
}
