// The Deployment of a fork after the patches of its entry, with the guard and the fields of the operator.

import type { JsonRecord } from "@homeostat/core";
import type { ForkInput } from "./fork-input.ts";
import { describeViolation, findViolations } from "./guard.ts";
import { isOwnKey } from "./metadata.ts";
import { applyPatches } from "./patches.ts";
import { type ForkSpec, readPatched } from "./patched-spec.ts";
import { entryField, type Refusal } from "./refusal.ts";
import { viewService } from "./service-view.ts";
import { type ForkDeployment, ownPodLabels, ownSpec } from "./unpatched-fork.ts";

type Texts = Readonly<Record<string, string>>;

/** Parts of a fork that patches may have changed. */
export interface PatchedFork {
  readonly spec: ForkSpec;
  /** Labels and annotations of the Deployment that users have set. */
  readonly labels: Texts;
  readonly annotations: Texts;
  readonly podLabels: Texts;
  readonly podAnnotations: Texts;
}

/**
 * Applies the patches of an entry. Patches of the name, namespace, owner references, finalizers, selector, replicas and labels of the operator have
 * no effect, because the operator and the Services of the fork rely on these fields.
 */
export function patchFork(input: ForkInput, unpatched: ForkDeployment): PatchedFork | Refusal {
  const { entry } = input;
  const patches = entry.patches ?? [];
  const { metadata, spec } = unpatched;
  const podMetadata = spec.template.metadata ?? {};
  if (patches.length === 0) {
    return {
      spec,
      labels: {},
      annotations: {},
      podLabels: podMetadata.labels ?? {},
      podAnnotations: podMetadata.annotations ?? {},
    };
  }
  const before: JsonRecord = { ...unpatched };
  const patched = applyPatches(before, patches);
  if ("problem" in patched) {
    const { index, message } = patched.problem;
    return failed(entry.name, `patches[${index}]`, [message]);
  }
  const parts = readPatched(before, patched.object);
  if ("wrong" in parts) return failed(entry.name, "patches", parts.wrong);
  const restored: PatchedFork = {
    spec: { ...parts.spec, replicas: spec.replicas ?? 0, selector: ownSpec(input, metadata.name).selector },
    labels: withoutOwnKeys(parts.labels),
    annotations: withoutOwnKeys(parts.annotations),
    podLabels: { ...withoutOwnKeys(parts.podLabels), ...ownPodLabels(input, metadata.name) },
    podAnnotations: parts.podAnnotations,
  };
  const violations = findViolations({
    before: guarded(unpatched.spec, metadata.labels ?? {}, {}),
    after: guarded(withPodMetadata(restored), { ...metadata.labels, ...restored.labels }, restored.annotations),
    podBefore: spec.template.spec,
    podAfter: restored.spec.template.spec,
    policy: input.policy,
    names: { namespace: input.baseline.namespace, services: input.services.map((each) => viewService(each).name) },
  });
  if (violations.length === 0) return restored;
  const path = entryField(entry.name, "patches");
  return {
    reason: "PatchForbidden",
    problems: violations.map((violation) => ({ path, message: describeViolation(violation) })),
  };
}

function failed(entry: string, field: string, messages: readonly string[]): Refusal {
  const path = entryField(entry, field);
  return { reason: "PatchFailed", problems: messages.map((message) => ({ path, message })) };
}

/** Returns the object that paths of policies refer to. */
function guarded(spec: ForkSpec, labels: Texts, annotations: Texts): JsonRecord {
  const metadata = { labels, ...(Object.keys(annotations).length > 0 && { annotations }) };
  return { metadata, spec };
}

function withPodMetadata({ spec, podLabels, podAnnotations }: PatchedFork): ForkSpec {
  const annotations = Object.keys(podAnnotations).length > 0 ? { annotations: podAnnotations } : {};
  return { ...spec, template: { ...spec.template, metadata: { labels: podLabels, ...annotations } } };
}

function withoutOwnKeys(map: Texts): Texts {
  return Object.fromEntries(Object.entries(map).filter(([key]) => !isOwnKey(key)));
}
