// Warnings: settings that the user may not have intended. They never block a cluster.
//
// One table is the source for the status and, where a warning depends on the spec alone, for the ValidatingAdmissionPolicy that shows
// it to the user who applies the cluster. A test compares both forms.

import type { DeepReadonly } from "homeostat";
import { cutText, parseImage } from "@homeostat/core";
import { annotations } from "../api/annotations.ts";
import { ChronikCluster } from "../api/chronik-cluster.ts";
import { type Component, components } from "../api/identity.ts";
import { counts } from "../api/spec-cluster.ts";
import type { WarningReason } from "../api/status.ts";
import type { RuledSpec } from "./rule.ts";

export interface ClusterWarning {
  readonly reason: WarningReason;
  readonly message: string;
}

/** Inputs of warnings that are not part of the spec. */
export interface WarningInput {
  /** The counts that autoscalers ask for. */
  readonly autoscaled?: Readonly<Partial<Record<Component, number>>> | undefined;
  /** Annotations of the cluster. */
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

/** A warning in the form of an admission policy. */
export interface PolicyWarning {
  /** CEL expression on `object` that is false if the warning applies. */
  readonly expression: string;
  /** CEL expression of the message. It returns the same text as `check`. */
  readonly messageExpression: string;
}

interface WarningRule {
  readonly reason: WarningReason;
  /** Returns the messages; none if the warning does not apply. */
  check(this: void, spec: RuledSpec, input: WarningInput): Iterable<string>;
  /** Undefined if the warning depends on more than the spec. */
  readonly policy: PolicyWarning | undefined;
}

const spec = "object.spec";

/** CEL and TypeScript forms of the same text: `$` stands for the value. */
function text(template: string): { readonly of: (value: number) => string; readonly cel: (value: string) => string } {
  const [before = "", after = ""] = template.split("$");
  return {
    of: (value) => `${before}${value}${after}`,
    cel: (value) => `'${before}' + string(${value}) + '${after}'`,
  };
}

const even = text("spec.controllers is $: an even number of controllers tolerates no more failures than one less");
const single = "spec.controllers is 1: the cluster is unavailable whenever its controller restarts";
const floating = (component: Component): string =>
  `the image of ${component} has no tag or the tag latest, which changes with every release; set spec.version`;
const replication = text("spec.tuning.replicationFactor is greater than spec.ingestNodes, which is $");
const deleted = "spec.storage.retentionPolicy.whenDeleted is Delete: all data is deleted with the cluster";
const writable = "spec.security.containerSecurityContext.readOnlyRootFilesystem is false";
const voters =
  "spec.autoscaling.controllers changes the number of voters with the load, which makes the quorum less stable";

const isPinned = (image: string): string =>
  `(${image}.contains('@') || (${image}.matches(':[A-Za-z0-9_.-]+$') && !${image}.endsWith(':latest')))`;

const pinned = (component: Component): string => {
  const image = `${spec}.image.${component}`;
  const isSet = `(has(${spec}.image) && has(${image}))`;
  const isPresent = component === "search" ? [`!(${spec}.searchNodes > 0 || ${hasSearchAutoscaler})`] : [];
  const isVersioned = `(has(${spec}.version) && ${spec}.version != 'latest')`;
  return [...isPresent, `(${isSet} ? ${isPinned(image)} : ${isVersioned})`].join(" || ");
};

const hasSearchAutoscaler = `(has(${spec}.autoscaling) && has(${spec}.autoscaling.searchNodes))`;

/** All warnings, in the order in which they are reported. */
export const warningRules: readonly WarningRule[] = [
  {
    reason: "EvenControllerCount",
    *check({ controllers }) {
      if (controllers % 2 === 0) yield even.of(controllers);
    },
    policy: { expression: `${spec}.controllers % 2 == 1`, messageExpression: even.cel(`${spec}.controllers`) },
  },
  ...components.map((component): WarningRule => ({
    reason: "FloatingImageTag",
    *check(each) {
      if (!isImagePinned(each, component)) yield floating(component);
    },
    policy: { expression: pinned(component), messageExpression: `'${floating(component)}'` },
  })),
  {
    reason: "SingleController",
    *check({ controllers }) {
      if (controllers === 1) yield single;
    },
    policy: { expression: `${spec}.controllers != 1`, messageExpression: `'${single}'` },
  },
  {
    reason: "ReplicationFactorTooHigh",
    *check({ tuning, ingestNodes }) {
      if (tuning.replicationFactor > ingestNodes) yield replication.of(ingestNodes);
    },
    policy: {
      expression: `${spec}.tuning.replicationFactor <= ${spec}.ingestNodes`,
      messageExpression: replication.cel(`${spec}.ingestNodes`),
    },
  },
  {
    reason: "DataDeletedWithCluster",
    *check({ storage }) {
      if (storage.retentionPolicy.whenDeleted === "Delete") yield deleted;
    },
    policy: {
      expression: `${spec}.storage.retentionPolicy.whenDeleted != 'Delete'`,
      messageExpression: `'${deleted}'`,
    },
  },
  {
    reason: "WritableRootFilesystem",
    *check({ security }) {
      if (security.containerSecurityContext?.readOnlyRootFilesystem === false) yield writable;
    },
    policy: {
      expression: [
        `!has(${spec}.security.containerSecurityContext)`,
        `!has(${spec}.security.containerSecurityContext.readOnlyRootFilesystem)`,
        `${spec}.security.containerSecurityContext.readOnlyRootFilesystem`,
      ].join(" || "),
      messageExpression: `'${writable}'`,
    },
  },
  {
    reason: "ControllersAutoscaled",
    *check({ autoscaling }) {
      if (autoscaling?.controllers !== undefined) yield voters;
    },
    policy: {
      expression: `!has(${spec}.autoscaling) || !has(${spec}.autoscaling.controllers)`,
      messageExpression: `'${voters}'`,
    },
  },
  {
    reason: "ReplicasIgnored",
    *check(each, { autoscaled = {} }) {
      for (const [count, component] of counts) {
        const desired = autoscaled[component];
        if (each.autoscaling?.[count] === undefined || desired === undefined || desired === each[count]) continue;
        yield `spec.${count} is ${each[count]}, but the autoscaler decides the number of members`;
      }
    },
    policy: undefined,
  },
  {
    reason: "UnknownRestartComponent",
    *check(_each, { annotations: given = {} }) {
      const chosen = (given[annotations.restartComponents] ?? "").split(",").map((word) => word.trim());
      const unknown = chosen.filter((word) => word !== "" && !components.some((component) => component === word));
      if (unknown.length === 0) return;
      const names = cutText(unknown.join(", "), 100);
      yield `the annotation ${annotations.restartComponents} names ${names}; the components are ${components.join(", ")}`;
    },
    policy: undefined,
  },
];

/** Returns all warnings about a cluster that has no problems. */
export function clusterWarnings(cluster: DeepReadonly<ChronikCluster>, input: WarningInput = {}): ClusterWarning[] {
  const { spec: ruled }: DeepReadonly<ChronikCluster> = ChronikCluster.default(cluster);
  const all = { annotations: cluster.metadata.annotations, ...input };
  return warningRules.flatMap(({ reason, check }) => [...check(ruled, all)].map((message) => ({ reason, message })));
}

function isImagePinned({ image, version, searchNodes, autoscaling }: RuledSpec, component: Component): boolean {
  if (component === "search" && searchNodes === 0 && autoscaling?.searchNodes === undefined) return true;
  const given = image?.[component];
  if (given === undefined) return version !== undefined && version !== "latest";
  const { tag = "latest", digest } = parseImage(given) ?? {};
  return digest !== undefined || tag !== "latest";
}
