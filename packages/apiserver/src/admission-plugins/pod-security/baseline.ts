// The baseline standard: forbids known privilege escalations. The file is a table of rules and therefore long.

import { quote } from "@homeostat/cel";
import {
  appArmorAnnotationPrefix,
  isBaselineAppArmorAnnotation,
  isBaselineCapability,
  isBaselineProfileType,
  isBaselineSELinuxType,
  isBaselineSysctl,
} from "@homeostat/core";
import { entriesAt, isSet, listAt, numberAt, textAt, valueAt } from "../../values/fields.ts";
import type { PodCheck, SecurityCheck } from "./check.ts";
import {
  containersOf,
  containersText,
  namesOf,
  plural,
  quoted,
  securityTexts,
  securityValue,
  settersText,
  sortedSet,
} from "./containers.ts";

/** Reports whether the pod has its own user namespace, in which root has no rights on the host. */
export function hasUserNamespace(spec: unknown): boolean {
  return valueAt(spec, "hostUsers") === false;
}

const privileged: PodCheck = ({ spec }) => {
  const names = namesOf(spec, (container) => securityValue(container, "privileged") === true);
  if (names.length === 0) return undefined;
  return { reason: "privileged", detail: `${containersText(names)} must not set securityContext.privileged=true` };
};

const hostPaths: PodCheck = ({ spec }) => {
  const names = listAt(spec, "volumes")
    .filter((volume) => isSet(volume, "hostPath"))
    .map((volume) => textAt(volume, "name"));
  if (names.length === 0) return undefined;
  return { reason: "hostPath volumes", detail: `${plural(names.length, "volume", "volumes")} ${quoted(names)}` };
};

const hostNamespaces: PodCheck = ({ spec }) => {
  const set = ["hostNetwork", "hostPID", "hostIPC"].filter((field) => valueAt(spec, field) === true);
  if (set.length === 0) return undefined;
  return { reason: "host namespaces", detail: set.map((field) => `${field}=true`).join(", ") };
};

const hostPorts: PodCheck = ({ spec }) => {
  const portsOf = (container: unknown): string[] =>
    listAt(container, "ports")
      .map((port) => numberAt(port, "hostPort"))
      .filter((port) => port !== 0)
      .map(String);
  const names = namesOf(spec, (container) => portsOf(container).length > 0);
  if (names.length === 0) return undefined;
  const ports = sortedSet(containersOf(spec).flatMap(portsOf));
  const verb = plural(names.length, "uses", "use");
  const noun = plural(ports.length, "hostPort", "hostPorts");
  return { reason: "hostPort", detail: `${containersText(names)} ${verb} ${noun} ${ports.join(", ")}` };
};

const windowsHostProcess: PodCheck = ({ spec }) => {
  const isSetIn = (holder: unknown): boolean => securityValue(holder, "windowsOptions", "hostProcess") === true;
  const setters = settersText(isSetIn(spec), namesOf(spec, isSetIn));
  if (setters === "") return undefined;
  return { reason: "hostProcess", detail: `${setters} must not set securityContext.windowsOptions.hostProcess=true` };
};

const procMount: PodCheck = ({ spec }) => {
  const isBad = (container: unknown): boolean => {
    const found = securityValue(container, "procMount");
    return typeof found === "string" && found !== "Default";
  };
  const names = namesOf(spec, isBad);
  if (names.length === 0) return undefined;
  const values = containersOf(spec)
    .filter(isBad)
    .map((container) => textAt(container, "securityContext", "procMount"));
  const detail = `${containersText(names)} must not set securityContext.procMount to ${quoted(sortedSet(values))}`;
  return { reason: "procMount", detail };
};

const capabilities: PodCheck = ({ spec }) => {
  const unusual = (container: unknown): string[] =>
    securityTexts(container, "capabilities", "add").filter((name) => !isBaselineCapability(name));
  const names = namesOf(spec, (container) => unusual(container).length > 0);
  if (names.length === 0) return undefined;
  const added = quoted(sortedSet(containersOf(spec).flatMap(unusual)));
  const detail = `${containersText(names)} must not include ${added} in securityContext.capabilities.add`;
  return { reason: "non-default capabilities", detail };
};

const appArmor: PodCheck = ({ metadata, spec }) => {
  const isBad = (holder: unknown): boolean =>
    isSet(holder, "securityContext", "appArmorProfile") && !isBaselineProfileType(armorOf(holder));
  const armorOf = (holder: unknown): string => textAt(holder, "securityContext", "appArmorProfile", "type");
  const annotations = entriesAt(metadata, "annotations")
    .map(([key, value]) => ({ key, value: String(value) }))
    .filter(({ key, value }) => key.startsWith(appArmorAnnotationPrefix) && !isBaselineAppArmorAnnotation(value))
    .map(({ key, value }) => `${key}=${quote(value)}`)
    .toSorted();
  const values = [...sortedSet([spec, ...containersOf(spec)].filter(isBad).map(armorOf)), ...annotations];
  const setters = [
    settersText(isBad(spec), namesOf(spec, isBad)),
    annotations.length === 0 ? "" : plural(annotations.length, "annotation", "annotations"),
  ].filter((text) => text !== "");
  if (setters.length === 0) return undefined;
  return {
    reason: plural(values.length, "forbidden AppArmor profile", "forbidden AppArmor profiles"),
    detail: `${setters.join(" and ")} must not set AppArmor profile type to ${quoted(values)}`,
  };
};

function sysctls(minor: number): PodCheck {
  return ({ spec }) => {
    const names = listAt(spec, "securityContext", "sysctls")
      .map((each) => textAt(each, "name"))
      .filter((name) => !isBaselineSysctl(name, minor));
    return names.length === 0 ? undefined : { reason: "forbidden sysctls", detail: names.join(", ") };
  };
}

function seLinux(minor: number): PodCheck {
  return ({ spec }) => {
    const isForbiddenType = (type: string): boolean => !isBaselineSELinuxType(type, minor);
    const partOf = (holder: unknown, part: string): string => textAt(holder, "securityContext", "seLinuxOptions", part);
    const isBad = (holder: unknown): boolean =>
      isForbiddenType(partOf(holder, "type")) || partOf(holder, "user") !== "" || partOf(holder, "role") !== "";
    const setters = settersText(isBad(spec), namesOf(spec, isBad));
    if (setters === "") return undefined;
    const holders = [spec, ...containersOf(spec)];
    const types = sortedSet(holders.map((holder) => partOf(holder, "type")).filter(isForbiddenType));
    const problems = [
      ...(types.length === 0 ? [] : [`${plural(types.length, "type", "types")} ${quoted(types)}`]),
      ...["user", "role"]
        .filter((part) => holders.some((holder) => partOf(holder, part) !== ""))
        .map((part) => `${part} may not be set`),
    ];
    const detail = `${setters} set forbidden securityContext.seLinuxOptions: ${problems.join("; ")}`;
    return { reason: "seLinuxOptions", detail };
  };
}

const oldSeccomp: PodCheck = ({ metadata, spec }) => {
  const keys = [
    "seccomp.security.alpha.kubernetes.io/pod",
    ...containersOf(spec).map(
      (container) => `container.seccomp.security.alpha.kubernetes.io/${textAt(container, "name")}`,
    ),
  ];
  const annotations = valueAt(metadata, "annotations");
  const bad = keys
    .filter((key) => typeof valueAt(annotations, key) === "string")
    .map((key) => ({ key, value: textAt(annotations, key) }))
    .filter(
      ({ value }) => value !== "runtime/default" && value !== "docker/default" && !value.startsWith("localhost/"),
    );
  const texts = sortedSet(bad.map(({ key, value }) => `${key}=${quote(value)}`));
  if (texts.length === 0) return undefined;
  const noun = plural(texts.length, "annotation", "annotations");
  return { reason: "seccompProfile", detail: `forbidden ${noun} ${texts.join(", ")}` };
};

/** Reports whether a pod or container sets a seccomp profile that is not allowed. */
export function hasBadSeccomp(holder: unknown): boolean {
  return isSet(holder, "securityContext", "seccompProfile") && !isBaselineProfileType(seccompOf(holder));
}

/** Returns the seccomp profile type that a pod or container sets. */
export function seccompOf(holder: unknown): string {
  return textAt(holder, "securityContext", "seccompProfile", "type");
}

/** Refuses seccomp profiles that are not allowed. No profile is fine in the baseline standard. */
export const seccomp: PodCheck = ({ spec }) => {
  const setters = settersText(hasBadSeccomp(spec), namesOf(spec, hasBadSeccomp));
  if (setters === "") return undefined;
  const values = sortedSet([spec, ...containersOf(spec)].filter(hasBadSeccomp).map(seccompOf));
  const detail = `${setters} must not set securityContext.seccompProfile.type to ${quoted(values)}`;
  return { reason: "seccompProfile", detail };
};

const probeHosts: PodCheck = ({ spec }) => {
  const hostsOf = (container: unknown): string[] =>
    [
      ...["livenessProbe", "readinessProbe", "startupProbe"].map((field) => valueAt(container, field)),
      ...["postStart", "preStop"].map((field) => valueAt(container, "lifecycle", field)),
    ]
      .flatMap((handler) => [textAt(handler, "httpGet", "host"), textAt(handler, "tcpSocket", "host")])
      .filter((host) => host !== "");
  const names = sortedSet(namesOf(spec, (container) => hostsOf(container).length > 0));
  if (names.length === 0) return undefined;
  const hosts = sortedSet(containersOf(spec).flatMap(hostsOf));
  const noun = plural(hosts.length, "probe or lifecycle host", "probe or lifecycle hosts");
  const detail = `${containersText(names)} ${plural(names.length, "uses", "use")} ${noun} ${quoted(hosts)}`;
  return { reason: "probe or lifecycle host", detail };
};

/** Returns the definitions of a check whose table of allowed values grew in some releases. */
const grownIn = (releases: readonly number[], checkAt: (minor: number) => PodCheck): SecurityCheck["versions"] =>
  releases.map((since) => ({ since, check: checkAt(since) }));

const inAllVersions = (id: string, check: PodCheck): SecurityCheck => ({
  id,
  level: "baseline",
  versions: [{ since: 0, check }],
});

/** Exempts pods with their own user namespace from a check. */
export function unlessUserNamespace(check: PodCheck): PodCheck {
  return (pod) => (hasUserNamespace(pod.spec) ? undefined : check(pod));
}

/** The checks of the baseline standard, in the order of the real server. */
export const baselineChecks: readonly SecurityCheck[] = [
  inAllVersions("appArmorProfile", appArmor),
  inAllVersions("capabilities_baseline", capabilities),
  inAllVersions("hostNamespaces", hostNamespaces),
  inAllVersions("hostPathVolumes", hostPaths),
  inAllVersions("hostPorts", hostPorts),
  { id: "hostProbesAndHostLifecycle", level: "baseline", versions: [{ since: 34, check: probeHosts }] },
  inAllVersions("privileged", privileged),
  {
    id: "procMount",
    level: "baseline",
    versions: [
      { since: 0, check: procMount },
      { since: 35, check: unlessUserNamespace(procMount) },
    ],
  },
  { id: "seLinuxOptions", level: "baseline", versions: grownIn([0, 31], seLinux) },
  {
    id: "seccompProfile_baseline",
    level: "baseline",
    versions: [
      { since: 0, check: oldSeccomp },
      { since: 19, check: seccomp },
    ],
  },
  { id: "sysctls", level: "baseline", versions: grownIn([0, 27, 29, 32], sysctls) },
  inAllVersions("windowsHostProcess", windowsHostProcess),
];
