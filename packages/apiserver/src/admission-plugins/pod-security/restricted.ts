// The restricted standard: requirements beyond the baseline. A table of rules.

import { isSet, listAt, textAt } from "../../values/fields.ts";
import { hasBadSeccomp, seccomp, unlessUserNamespace } from "./baseline.ts";
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

/** Exempts Windows pods: Windows has none of these features and refuses pods that set them. */
function unlessWindows(check: PodCheck): PodCheck {
  return (pod) => (textAt(pod.spec, "os", "name") === "windows" ? undefined : check(pod));
}

const escalation: PodCheck = ({ spec }) => {
  const names = namesOf(spec, (container) => securityValue(container, "allowPrivilegeEscalation") !== false);
  if (names.length === 0) return undefined;
  const detail = `${containersText(names)} must set securityContext.allowPrivilegeEscalation=false`;
  return { reason: "allowPrivilegeEscalation != false", detail };
};

const capabilities: PodCheck = ({ spec }) => {
  const unusual = (container: unknown): string[] =>
    securityTexts(container, "capabilities", "add").filter((name) => name !== "NET_BIND_SERVICE");
  const keeping = namesOf(spec, (container) => !securityTexts(container, "capabilities", "drop").includes("ALL"));
  const adding = namesOf(spec, (container) => unusual(container).length > 0);
  const added = quoted(sortedSet(containersOf(spec).flatMap(unusual)));
  const details = [
    ...(keeping.length === 0 ? [] : [`${containersText(keeping)} must set securityContext.capabilities.drop=["ALL"]`]),
    ...(adding.length === 0
      ? []
      : [`${containersText(adding)} must not include ${added} in securityContext.capabilities.add`]),
  ];
  return details.length === 0 ? undefined : { reason: "unrestricted capabilities", detail: details.join("; ") };
};

const nonRoot: PodCheck = ({ spec }) => {
  const runAsNonRoot = (holder: unknown): unknown => securityValue(holder, "runAsNonRoot") ?? undefined;
  const reason = "runAsNonRoot != true";
  const setters = settersText(
    runAsNonRoot(spec) === false,
    namesOf(spec, (container) => runAsNonRoot(container) === false),
  );
  if (setters !== "") return { reason, detail: `${setters} must not set securityContext.runAsNonRoot=false` };
  const unset = runAsNonRoot(spec) === true ? [] : namesOf(spec, (container) => runAsNonRoot(container) === undefined);
  if (unset.length === 0) return undefined;
  return { reason, detail: `pod or ${containersText(unset)} must set securityContext.runAsNonRoot=true` };
};

const notUserZero: PodCheck = ({ spec }) => {
  const isRoot = (holder: unknown): boolean => securityValue(holder, "runAsUser") === 0;
  const setters = settersText(isRoot(spec), namesOf(spec, isRoot));
  return setters === "" ? undefined : { reason: "runAsUser=0", detail: `${setters} must not set runAsUser=0` };
};

const strictSeccomp: PodCheck = (pod) => {
  const { spec } = pod;
  const bad = seccomp(pod);
  if (bad !== undefined) return bad;
  const hasAllowedProfile = (holder: unknown): boolean =>
    isSet(holder, "securityContext", "seccompProfile") && !hasBadSeccomp(holder);
  const unset = hasAllowedProfile(spec) ? [] : namesOf(spec, (container) => !hasAllowedProfile(container));
  if (unset.length === 0) return undefined;
  const requirement = 'must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"';
  return { reason: "seccompProfile", detail: `pod or ${containersText(unset)} ${requirement}` };
};

const allowedVolumes = [
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "image",
  "persistentVolumeClaim",
  "projected",
  "secret",
];
const otherVolumes = [
  "hostPath",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "gitRepo",
  "nfs",
  "iscsi",
  "glusterfs",
  "rbd",
  "flexVolume",
  "cinder",
  "cephfs",
  "flocker",
  "fc",
  "azureFile",
  "vsphereVolume",
  "quobyte",
  "azureDisk",
  "photonPersistentDisk",
  "portworxVolume",
  "scaleIO",
  "storageos",
];

const volumes: PodCheck = ({ spec }) => {
  const bad = listAt(spec, "volumes").filter((volume) => !allowedVolumes.some((type) => isSet(volume, type)));
  if (bad.length === 0) return undefined;
  const names = bad.map((volume) => textAt(volume, "name"));
  const types = sortedSet(bad.map((volume) => otherVolumes.find((type) => isSet(volume, type)) ?? "unknown"));
  const subject = `${plural(names.length, "volume", "volumes")} ${quoted(names)} ${plural(names.length, "uses", "use")}`;
  const noun = plural(types.length, "restricted volume type", "restricted volume types");
  return { reason: "restricted volume types", detail: `${subject} ${noun} ${quoted(types)}` };
};

/** The checks that the restricted standard adds, in the order of the real server. */
export const restrictedChecks: readonly SecurityCheck[] = [
  {
    id: "allowPrivilegeEscalation",
    level: "restricted",
    versions: [
      { since: 8, check: escalation },
      { since: 25, check: unlessWindows(escalation) },
    ],
  },
  {
    id: "capabilities_restricted",
    level: "restricted",
    overrides: "capabilities_baseline",
    versions: [
      { since: 22, check: capabilities },
      { since: 25, check: unlessWindows(capabilities) },
    ],
  },
  {
    id: "restrictedVolumes",
    level: "restricted",
    overrides: "hostPathVolumes",
    versions: [{ since: 0, check: volumes }],
  },
  {
    id: "runAsNonRoot",
    level: "restricted",
    versions: [
      { since: 0, check: nonRoot },
      { since: 35, check: unlessUserNamespace(nonRoot) },
    ],
  },
  {
    id: "runAsUser",
    level: "restricted",
    versions: [
      { since: 23, check: notUserZero },
      { since: 35, check: unlessUserNamespace(notUserZero) },
    ],
  },
  {
    id: "seccompProfile_restricted",
    level: "restricted",
    overrides: "seccompProfile_baseline",
    versions: [
      { since: 19, check: strictSeccomp },
      { since: 25, check: unlessWindows(strictSeccomp) },
    ],
  },
];
