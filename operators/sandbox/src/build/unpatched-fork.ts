// The Deployment of a fork before the patches of its entry.

import { withoutUndefined } from "@homeostat/core";
import type { Deployment } from "@homeostat/kubernetes/apps/v1";
import { labels } from "../api/identity.ts";
import { entryReplicas } from "../api/sandbox.ts";
import type { PodTemplate } from "./baseline.ts";
import { changeContainers } from "./containers.ts";
import type { ForkInput } from "./fork-input.ts";
import { sandboxVariables } from "./env.ts";
import { type ChildObject, isOwnKey, objectLabels, ownLabels } from "./metadata.ts";
import type { ForkSpec } from "./patched-spec.ts";
import { compileLabelPatterns, preservedLabels } from "./pod-labels.ts";
import { entryField, type Refusal } from "./refusal.ts";
import { withoutClaimTemplates } from "./volumes.ts";

/** A Deployment with a complete spec. */
export type ForkDeployment = ChildObject<Deployment> & { readonly spec: ForkSpec };

/** Pod annotations about rollouts of the baseline, which forks do not inherit. */
const rolloutAnnotations: readonly string[] = [
  "kubectl.kubernetes.io/restartedAt",
  "kubectl.kubernetes.io/last-applied-configuration",
];
const rolloutPrefix = "deployment.kubernetes.io/";

/** Returns the labels of the operator on the pods of a fork. */
export function ownPodLabels(input: ForkInput, name: string): Record<string, string> {
  return { ...ownLabels(identityOf(input)), [labels.fork]: name };
}

/** Returns the identity from which labels of the objects of a fork are built. */
export function identityOf({ sandbox, entry, routingKey }: ForkInput): Parameters<typeof ownLabels>[0] {
  return { sandbox, entry: entry.name, routingKey };
}

/** Derives the Deployment of a fork without the patches of its entry. */
export function deriveUnpatched(input: ForkInput, name: string): ForkDeployment | Refusal {
  const { baseline, entry, sandbox } = input;
  const compiled = compileLabelPatterns(entry.preserveLabels);
  if ("problem" in compiled) {
    const path = entryField(entry.name, `preserveLabels[${compiled.index}]`);
    const message = `${JSON.stringify(entry.preserveLabels[compiled.index])} is not a regular expression of RE2: ${compiled.problem}`;
    return { reason: "InvalidSpec", problems: [{ path, message }] };
  }
  const { spec, problems } = changeContainers(withoutClaimTemplates(baseline), {
    variables: sandboxVariables(identityOf(input), baseline),
    changes: entry.containers ?? [],
    sources: input.sources,
  });
  if (problems.length > 0) {
    return {
      reason: "InvalidReference",
      problems: problems.map(({ field, message }) => ({
        path: entryField(entry.name, `containers${field}`),
        message,
      })),
    };
  }
  const { metadata = {} } = baseline.template;
  const annotations = keptAnnotations(metadata.annotations ?? {});
  const podLabels = {
    ...preservedLabels(metadata.labels ?? {}, compiled.patterns),
    ...sandbox.spec.labels,
    ...ownPodLabels(input, name),
  };
  const template: ForkSpec["template"] = {
    metadata: { labels: podLabels, ...(Object.keys(annotations).length > 0 && { annotations }) },
    spec,
  };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace: baseline.namespace, labels: objectLabels(identityOf(input)) },
    spec: { ...ownSpec(input, name), template },
  };
}

/** Returns the fields of the spec that patches cannot change, and defaults for others. */
export function ownSpec(input: ForkInput, name: string): Omit<ForkSpec, "template"> {
  const { baseline, entry, isAsleep } = input;
  const { minReadySeconds } = baseline;
  return {
    replicas: isAsleep ? 0 : entryReplicas(entry),
    selector: { matchLabels: { [labels.fork]: name } },
    // The fork mounts volumes of the baseline and has few replicas, so old and new pods must not run at the same time.
    strategy: { type: "Recreate" },
    revisionHistoryLimit: 1,
    // An API server requires a deadline above minReadySeconds.
    progressDeadlineSeconds: Math.max(entry.readyTimeoutSeconds, (minReadySeconds ?? 0) + 1),
    ...withoutUndefined({ minReadySeconds }),
  };
}

/** Returns the pod annotations of the baseline that a fork keeps. A fork has no proxy sidecar unless a patch asks for one. */
function keptAnnotations(annotations: NonNullable<NonNullable<PodTemplate["metadata"]>["annotations"]>) {
  const isDropped = (key: string): boolean =>
    isOwnKey(key) || key.startsWith(rolloutPrefix) || rolloutAnnotations.includes(key);
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => !isDropped(key)));
}
