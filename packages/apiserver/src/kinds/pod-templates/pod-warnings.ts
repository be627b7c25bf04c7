// Warnings about pods and pod templates: settings that are allowed but deprecated or probably a mistake.

import { dnsLabelProblems, parseQuantity, ParseError } from "@homeostat/core";
import { isSet, listAt, numberAt, textAt, valueAt } from "../../values/fields.ts";

interface PlacedContainer {
  readonly path: string;
  readonly container: unknown;
}

/** Annotations without any effect, with the text of their warning. */
const unusedAnnotations: ReadonlyMap<string, string> = new Map([
  ["scheduler.alpha.kubernetes.io/critical-pod", 'non-functional in v1.16+; use the "priorityClassName" field instead'],
  ["security.alpha.kubernetes.io/sysctls", 'non-functional in v1.11+; use the "sysctls" field instead'],
  ["security.alpha.kubernetes.io/unsafe-sysctls", 'non-functional in v1.11+; use the "sysctls" field instead'],
]);

/** Volume types that are deprecated or no longer functional, with the text of their warning. */
const deprecatedVolumes: ReadonlyMap<string, string> = new Map([
  ["photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"],
  ["gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"],
  ["scaleIO", "deprecated in v1.16, non-functional in v1.22+"],
  ["flocker", "deprecated in v1.22, non-functional in v1.25+"],
  ["storageos", "deprecated in v1.22, non-functional in v1.25+"],
  ["quobyte", "deprecated in v1.22, non-functional in v1.25+"],
  ["glusterfs", "deprecated in v1.25, non-functional in v1.26+"],
  ["cephfs", "deprecated in v1.28, non-functional in v1.31+"],
  ["rbd", "deprecated in v1.28, non-functional in v1.31+"],
]);

/** Returns the warnings for a pod or pod template; `path` is that of the template, such as `spec.template`, and empty for a pod. */
export function podWarnings(pod: unknown, path: string): string[] {
  const at = (field: string): string => (path === "" ? field : `${path}.${field}`);
  const containers = containersOf(pod, at("spec"));
  return [
    ...spreadWarnings(pod, at("spec")),
    ...[...unusedAnnotations].flatMap(([name, why]) =>
      isSet(pod, "metadata", "annotations", name) ? [`${at("metadata.annotations")}[${name}]: ${why}`] : [],
    ),
    ...volumeWarnings(pod, at("spec.volumes")),
    ...repeated(listAt(pod, "spec", "hostAliases"), "ip", at("spec.hostAliases")),
    ...repeated(listAt(pod, "spec", "imagePullSecrets"), "name", at("spec.imagePullSecrets")),
    ...listAt(pod, "spec", "imagePullSecrets").flatMap((each, index) =>
      textAt(each, "name") === "" ? [`${at("spec.imagePullSecrets")}[${index}].name: invalid empty name ""`] : [],
    ),
    ...containers.flatMap(fractionWarnings),
    ...containers.flatMap(variableWarnings),
    ...portWarnings(containers),
    ...portNameWarnings(containers),
    ...(numberAt(pod, "spec", "terminationGracePeriodSeconds") < 0
      ? [
          `${at("spec.terminationGracePeriodSeconds")}: must be >= 0; negative values are invalid and will be treated as 1`,
        ]
      : []),
    ...affinityWarnings(pod, at("spec.affinity")),
  ];
}

/** Returns the warnings for an object name that becomes part of pod names. */
export function podNameWarnings(name: string): string[] {
  const problems = dnsLabelProblems(name);
  if (problems.length === 0) return [];
  const advice =
    "this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended";
  return [`metadata.name: ${advice}: [${problems.join(" ")}]`];
}

function containersOf(pod: unknown, path: string): PlacedContainer[] {
  return ["initContainers", "containers", "ephemeralContainers"].flatMap((field) =>
    listAt(pod, "spec", field).map((container, index) => ({ path: `${path}.${field}[${index}]`, container })),
  );
}

const matchesNothing = "a null labelSelector results in matching no pod";

function spreadWarnings(pod: unknown, path: string): string[] {
  return listAt(pod, "spec", "topologySpreadConstraints").flatMap((each, index) =>
    isSet(each, "labelSelector")
      ? []
      : [`${path}.topologySpreadConstraints[${index}].labelSelector: ${matchesNothing}`],
  );
}

function affinityWarnings(pod: unknown, path: string): string[] {
  const required = "requiredDuringSchedulingIgnoredDuringExecution";
  const preferred = "preferredDuringSchedulingIgnoredDuringExecution";
  return ["podAffinity", "podAntiAffinity"].flatMap((field) => [
    ...listAt(pod, "spec", "affinity", field, required).flatMap((term, index) =>
      isSet(term, "labelSelector") ? [] : [`${path}.${field}.${required}[${index}].labelSelector: ${matchesNothing}`],
    ),
    ...listAt(pod, "spec", "affinity", field, preferred).flatMap((term, index) =>
      isSet(term, "podAffinityTerm", "labelSelector")
        ? []
        : [`${path}.${field}.${preferred}[${index}].podAffinityTerm.labelSelector: ${matchesNothing}`],
    ),
  ]);
}

function volumeWarnings(pod: unknown, path: string): string[] {
  return listAt(pod, "spec", "volumes").flatMap((volume, index) =>
    [...deprecatedVolumes].flatMap(([field, why]) =>
      isSet(volume, field) ? [`${path}[${index}].${field}: ${why}`] : [],
    ),
  );
}

function repeated(items: readonly unknown[], field: string, path: string): string[] {
  const seen = new Set<string>();
  return items.flatMap((item, index) => {
    const value = textAt(item, field);
    if (seen.has(value)) return [`${path}[${index}].${field}: duplicate ${field} ${JSON.stringify(value)}`];
    seen.add(value);
    return [];
  });
}

function fractionWarnings({ path, container }: PlacedContainer): string[] {
  return ["memory", "ephemeral-storage"].flatMap((resource) =>
    ["limits", "requests"].flatMap((field) => {
      const value = valueAt(container, "resources", field, resource);
      if (typeof value !== "string" || !isFraction(value)) return [];
      const what = `fractional byte value ${JSON.stringify(value)} is invalid, must be an integer`;
      return [`${path}.resources.${field}[${resource}]: ${what}`];
    }),
  );
}

/** Reports whether a quantity is not an integer; only one with the suffix `m`, `u` or `n` can be. */
function isFraction(text: string): boolean {
  if (!/[mun]$/.test(text)) return false;
  try {
    return !Number.isInteger(parseQuantity(text).asApproximateNumber());
  } catch (error) {
    if (error instanceof ParseError) return false;
    throw error;
  }
}

function variableWarnings({ path, container }: PlacedContainer): string[] {
  const seen = new Set<string>();
  return listAt(container, "env").flatMap((variable, index) => {
    const name = textAt(variable, "name");
    const isNew = !seen.has(name);
    seen.add(name);
    if (isNew) return [];
    const [value, itself] = [textAt(variable, "value"), `$(${name})`];
    // A value that refers to the previous one, such as `$(PATH):/bin`, is intended.
    if (!isSet(variable, "valueFrom") && value !== itself && value.includes(itself)) return [];
    const what = `hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`;
    return [`${path}.env[${index}]: ${what}`];
  });
}

function portWarnings(containers: readonly PlacedContainer[]): string[] {
  const known = new Map<string, { readonly path: string; readonly port: unknown }[]>();
  const warnings: string[] = [];
  for (const { path, container } of containers) {
    for (const [index, port] of listAt(container, "ports").entries()) {
      const portPath = `${path}.ports[${index}]`;
      const key = `${numberAt(port, "containerPort")}/${textAt(port, "protocol")}`;
      const others = known.get(key) ?? [];
      for (const other of others) {
        const how = overlap(port, other.port);
        if (how !== undefined) warnings.push(`${portPath}: ${how} port definition with ${other.path}`);
      }
      known.set(key, [...others, { path: portPath, port }]);
    }
  }
  return warnings;
}

/** Returns the kind of conflict between two definitions of the same port; undefined when there is none. */
function overlap(one: unknown, other: unknown): string | undefined {
  const [ip, otherIp] = [textAt(one, "hostIP"), textAt(other, "hostIP")];
  const [host, otherHost] = [numberAt(one, "hostPort"), numberAt(other, "hostPort")];
  if (ip === otherIp && host === otherHost) return "duplicate";
  if (host === 0 || otherHost === 0) return "overlapping";
  return host === otherHost && (ip === "") !== (otherIp === "") ? "dangerously ambiguous" : undefined;
}

function portNameWarnings(containers: readonly PlacedContainer[]): string[] {
  const known = new Map<string, string>();
  return containers.flatMap(({ path, container }) =>
    listAt(container, "ports").flatMap((port, index) => {
      const name = textAt(port, "name");
      const portPath = `${path}.ports[${index}]`;
      const other = known.get(name);
      if (name === "" || other === undefined) {
        known.set(name, portPath);
        return [];
      }
      const use = `services and probes that select ports by name will use ${other}`;
      return [`${portPath}: duplicate port name ${JSON.stringify(name)} with ${other}, ${use}`];
    }),
  );
}
