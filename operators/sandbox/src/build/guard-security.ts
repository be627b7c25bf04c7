// Rules about the security contexts of pods and containers.

import { isEqual } from "@homeostat/core";
import type { TemplateContainer, TemplateSpec } from "./baseline.ts";
import type { DiffStep } from "./diff.ts";
import { type Finding, type GuardRule, turnsOn } from "./guard-rules.ts";

type Context = NonNullable<TemplateContainer["securityContext"]>;

/** The security contexts of one container before and after patches. A container that a patch adds had none. */
interface ContainerPair {
  readonly steps: readonly DiffStep[];
  readonly before: Context;
  readonly after: Context;
}

function pairsOf(before: TemplateSpec, after: TemplateSpec): ContainerPair[] {
  const known = new Map(
    [...before.containers, ...(before.initContainers ?? [])].map(({ name, securityContext }) => [
      name,
      securityContext,
    ]),
  );
  return (["containers", "initContainers"] as const).flatMap((list) =>
    (after[list] ?? []).map(({ name, securityContext = {} }, index) => ({
      steps: [list, { index, key: name }, "securityContext"],
      before: known.get(name) ?? {},
      after: securityContext,
    })),
  );
}

/** Builds a rule from the findings for one container. */
function perContainer(find: (pair: ContainerPair) => readonly Finding[]): GuardRule {
  return ({ before, after }) => pairsOf(before, after).flatMap(find);
}

export const capabilities: GuardRule = perContainer(({ steps, before, after }) => {
  const added = (after.capabilities?.add ?? []).flatMap((capability, index) =>
    before.capabilities?.add?.includes(capability) === true
      ? []
      : [
          {
            steps: [...steps, "capabilities", "add", { index, key: undefined }],
            value: capability,
            reason: "adds a capability",
          },
        ],
  );
  const drops = after.capabilities?.drop ?? [];
  const isKept = (capability: string): boolean => drops.includes(capability) || drops.includes("ALL");
  const regained = (before.capabilities?.drop ?? []).filter((capability) => !isKept(capability));
  if (regained.length === 0) return added;
  const reason = `gives back ${regained.join(", ")}, which the baseline drops`;
  return [...added, { steps: [...steps, "capabilities", "drop"], value: after.capabilities?.drop, reason }];
});

export const privileged: GuardRule = perContainer(({ steps, before, after }) => {
  const isNew = after.privileged === true && before.privileged !== true;
  return isNew ? [{ steps: [...steps, "privileged"], value: true, reason: "makes the container privileged" }] : [];
});

export const hostProcess: GuardRule = ({ before, after, names }) => {
  const path = ["windowsOptions", "hostProcess"];
  const reason = "runs the container as a process of the node";
  const ofPod =
    after.securityContext?.windowsOptions?.hostProcess === true &&
    before.securityContext?.windowsOptions?.hostProcess !== true
      ? [{ steps: ["securityContext", ...path], value: true, reason }]
      : [];
  const ofContainers = perContainer(({ steps, before: old, after: now }) =>
    now.windowsOptions?.hostProcess === true && old.windowsOptions?.hostProcess !== true
      ? [{ steps: [...steps, ...path], value: true, reason }]
      : [],
  );
  return [...ofPod, ...ofContainers({ before, after, names })];
};

export const privilegeEscalation: GuardRule = perContainer(({ steps, before, after }) =>
  turnsOn(before.allowPrivilegeEscalation, after.allowPrivilegeEscalation)
    ? [
        {
          steps: [...steps, "allowPrivilegeEscalation"],
          value: after.allowPrivilegeEscalation,
          reason: "lets processes gain more privileges than their parent",
        },
      ]
    : [],
);

export const procMount: GuardRule = perContainer(({ steps, before, after }) => {
  const { procMount: mount = "Default" } = after;
  const isNew = mount !== "Default" && mount !== before.procMount;
  return isNew ? [{ steps: [...steps, "procMount"], value: mount, reason: "unmasks parts of /proc" }] : [];
});

/**
 * Refuses user 0 for containers that had another user or none. Also refuses to remove the user, because the image then decides, unless the container
 * has runAsNonRoot.
 */
export const rootUser: GuardRule = ({ before, after }) => {
  const [podBefore, podAfter] = [before.securityContext ?? {}, after.securityContext ?? {}];
  return pairsOf(before, after).flatMap(({ steps, before: old, after: now }): Finding[] => {
    const user = now.runAsUser ?? podAfter.runAsUser;
    const userBefore = old.runAsUser ?? podBefore.runAsUser;
    const place = now.runAsUser === undefined ? ["securityContext", "runAsUser"] : [...steps, "runAsUser"];
    if (user === 0 && userBefore !== 0) return [{ steps: place, value: 0, reason: "runs the container as root" }];
    const mustNotBeRoot = (now.runAsNonRoot ?? podAfter.runAsNonRoot) === true;
    if (user !== undefined || userBefore === undefined || userBefore === 0 || mustNotBeRoot) return [];
    return [{ steps: place, value: undefined, reason: "lets the image run as root" }];
  });
};

export const nonRoot: GuardRule = ({ before, after }) => {
  const [podBefore, podAfter] = [before.securityContext ?? {}, after.securityContext ?? {}];
  const known = new Set([...before.containers, ...(before.initContainers ?? [])].map(({ name }) => name));
  return pairsOf(before, after).flatMap(({ steps, before: old, after: now }) => {
    const [, element] = steps;
    const isKnown = typeof element === "object" && element.key !== undefined && known.has(element.key);
    const wasRequired = ((isKnown ? old.runAsNonRoot : undefined) ?? podBefore.runAsNonRoot) === true;
    const value = now.runAsNonRoot ?? podAfter.runAsNonRoot;
    if (!wasRequired || value === true) return [];
    const place = now.runAsNonRoot === undefined ? ["securityContext", "runAsNonRoot"] : [...steps, "runAsNonRoot"];
    return [{ steps: place, value, reason: "allows root, which the baseline forbids" }];
  });
};

const confinements = ["seccompProfile", "appArmorProfile", "seLinuxOptions"] as const;

/** Refuses a seccomp or AppArmor profile other than that of the baseline, except the default profile of the container runtime. */
export const confinement: GuardRule = ({ before, after }) => {
  const pod = { steps: ["securityContext"], before: before.securityContext ?? {}, after: after.securityContext ?? {} };
  return [pod, ...pairsOf(before, after)].flatMap(({ steps, before: old, after: now }) =>
    confinements.flatMap((field) => {
      const value = now[field];
      const isDefault = value !== undefined && "type" in value && value.type === "RuntimeDefault";
      if (isDefault || isEqual(old[field], value)) return [];
      return [{ steps: [...steps, field], value, reason: "changes the confinement by the kernel" }];
    }),
  );
};

export const sysctls: GuardRule = ({ before, after }) => {
  const known = before.securityContext?.sysctls ?? [];
  return (after.securityContext?.sysctls ?? []).flatMap((sysctl, index) =>
    known.some((each) => isEqual(each, sysctl))
      ? []
      : [
          {
            steps: ["securityContext", "sysctls", { index, key: sysctl.name }],
            value: sysctl,
            reason: "changes settings of the kernel",
          },
        ],
  );
};
