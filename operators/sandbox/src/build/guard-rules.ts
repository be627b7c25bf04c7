// Fields of pods that patches cannot change by default. Each rule compares the pod spec before and after the patches.

import { canonicalJson, isEqual } from "@homeostat/core";
import type { TemplateSpec } from "./baseline.ts";
import type { DiffStep } from "./diff.ts";

/** A change that a rule refuses. */
export interface Finding {
  /** Path below the pod spec. */
  readonly steps: readonly DiffStep[];
  /** The value after the patches; undefined if they removed it. */
  readonly value: unknown;
  readonly reason: string;
}

/** Cluster DNS names that host aliases must not redirect. */
export interface ClusterNames {
  readonly namespace: string;
  readonly services: readonly string[];
}

/** A comparison of the pod specs before and after patches. */
export interface Comparison {
  readonly before: TemplateSpec;
  readonly after: TemplateSpec;
  readonly names: ClusterNames;
}

/** A rule that returns the changes it refuses. */
export type GuardRule = (comparison: Comparison) => readonly Finding[];

/** Text fields that must stay as they are in the baseline, and why. */
const fixedFields = {
  serviceAccountName: "the fork has the ServiceAccount of the baseline",
  // An old name of serviceAccountName, which API servers still read.
  serviceAccount: "the fork has the ServiceAccount of the baseline",
  nodeName: "the scheduler chooses the node",
  priorityClassName: "the fork has the priority of the baseline",
  schedulerName: "the fork has the scheduler of the baseline",
  runtimeClassName: "the fork has the container runtime of the baseline",
} as const;

export const identityAndPlacement: GuardRule = ({ before, after }) =>
  keysOf(fixedFields)
    .filter((field) => (before[field] ?? "") !== (after[field] ?? ""))
    .map((field) => ({ steps: [field], value: after[field], reason: fixedFields[field] }));

/** Fields that weaken the isolation of a pod. Patches can turn them off, but not on. */
const namespaceSwitches = {
  hostNetwork: "gives access to the network of the node",
  hostPID: "gives access to the processes of the node",
  hostIPC: "gives access to the shared memory of the node",
  shareProcessNamespace: "lets containers of the pod see each other's processes and files",
} as const;

export const hostNamespaces: GuardRule = ({ before, after }) =>
  keysOf(namespaceSwitches)
    .filter((field) => after[field] === true && before[field] !== true)
    .map((field) => ({ steps: [field], value: true, reason: namespaceSwitches[field] }));

export const userNamespace: GuardRule = ({ before, after }) =>
  turnsOn(before.hostUsers, after.hostUsers)
    ? [{ steps: ["hostUsers"], value: after.hostUsers, reason: "gives up the user namespace of the pod" }]
    : [];

export const serviceAccountToken: GuardRule = ({ before, after }) => {
  const field = "automountServiceAccountToken";
  return turnsOn(before[field], after[field])
    ? [{ steps: [field], value: after[field], reason: "mounts credentials of the API server" }]
    : [];
};

/** Reports whether a switch that is on by default is turned on: explicitly, or by removing `false`. */
export function turnsOn(before: boolean | undefined, after: boolean | undefined): boolean {
  return (after === true && before !== true) || (before === false && after !== false);
}

export const hostPathVolumes: GuardRule = ({ before, after }) => {
  const known = new Set((before.volumes ?? []).map(({ hostPath }) => canonicalJson(hostPath)));
  return (after.volumes ?? []).flatMap(({ name, hostPath }, index) =>
    hostPath === undefined || known.has(canonicalJson(hostPath))
      ? []
      : [{ steps: ["volumes", { index, key: name }, "hostPath"], value: hostPath, reason: "mounts files of the node" }],
  );
};

export const csiVolumes: GuardRule = ({ before, after }) => {
  const known = new Set((before.volumes ?? []).map(({ csi }) => canonicalJson(csi)));
  return (after.volumes ?? []).flatMap(({ name, csi }, index) =>
    csi === undefined || known.has(canonicalJson(csi))
      ? []
      : [
          {
            steps: ["volumes", { index, key: name }, "csi"],
            value: csi,
            reason: "mounts a volume of a storage driver",
          },
        ],
  );
};

export const projectedTokens: GuardRule = ({ before, after }) => {
  const known = (before.volumes ?? []).flatMap(({ projected }) => projected?.sources ?? []);
  return (after.volumes ?? []).flatMap(({ name, projected }, volume) =>
    (projected?.sources ?? []).flatMap((source, index) => {
      const issued = source.serviceAccountToken ?? source.podCertificate;
      if (issued === undefined || known.some((each) => isEqual(each, source))) return [];
      const steps = ["volumes", { index: volume, key: name }, "projected", "sources", { index, key: undefined }];
      return [{ steps, value: source, reason: "mounts credentials that the cluster issues" }];
    }),
  );
};

export const clusterHostAliases: GuardRule = ({ before, after, names }) => {
  const known = before.hostAliases ?? [];
  return (after.hostAliases ?? []).flatMap((alias, index) =>
    (alias.hostnames ?? []).flatMap((hostname, place) => {
      const isKnown = known.some(({ ip, hostnames = [] }) => ip === alias.ip && hostnames.includes(hostname));
      if (isKnown || !isClusterName(hostname, names)) return [];
      const steps = ["hostAliases", { index, key: alias.ip }, "hostnames", { index: place, key: undefined }];
      return [{ steps, value: hostname, reason: "redirects a name of the cluster" }];
    }),
  );
};

/**
 * Pod templates cannot have ephemeral containers. Without this rule the API server would reject the Deployment, with a less
 * helpful message.
 */
export const ephemeralContainers: GuardRule = ({ after }) =>
  (after.ephemeralContainers ?? []).length === 0
    ? []
    : [
        {
          steps: ["ephemeralContainers"],
          value: after.ephemeralContainers,
          reason: "adds ephemeral containers, which only running pods have",
        },
      ];

/** Reports whether a host name may be that of a Service: with a suffix of cluster names, or as pods of the namespace write it. */
function isClusterName(hostname: string, { namespace, services }: ClusterNames): boolean {
  const name = hostname.toLowerCase().replace(/\.$/, "");
  if (/\.svc$|\.svc\.|\.cluster\.local$/.test(name)) return true;
  const [first = "", second, ...rest] = name.split(".");
  if (rest.length > 0) return false;
  const isOfService = services.includes(first) || first === "kubernetes";
  return second === undefined ? isOfService : second === namespace || (isOfService && second === "default");
}

function keysOf<T extends object>(table: T): (keyof T)[];
function keysOf(table: object): string[] {
  return Object.keys(table);
}
