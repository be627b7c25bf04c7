import type { DeepReadonly } from "@homeostat/core";
import { Job } from "@homeostat/kubernetes/batch/v1";
import type { Container, Pod } from "@homeostat/kubernetes/core/v1";
import type { StoredPod } from "../pods/pod-state.ts";
import { podOf } from "../pods/pod-writer.ts";
import {
  failureCountAnnotation,
  ignoredFailureCountAnnotation,
  indexAnnotation,
  type StoredJob,
  trackingFinalizer,
} from "./job.ts";
import { matchFailurePolicy } from "./policies.ts";
import { failureCounts } from "./view.ts";

/** Longest prefix of a generated name: 63 characters less the 5 random ones. */
const generateNameMax = 58;

/** Builds a pod of a Job, with an index if one is given. `replaced` is the failed pod of the same index. */
export function jobPod(job: StoredJob, index?: number, replaced?: StoredPod): DeepReadonly<Pod> {
  const pod = podOf(job.spec?.template ?? {}, { type: Job, object: job });
  const finalizers = pod.metadata.finalizers ?? [];
  const isTracked = finalizers.includes(trackingFinalizer);
  const tracked = {
    ...pod,
    metadata: { ...pod.metadata, finalizers: isTracked ? finalizers : [...finalizers, trackingFinalizer] },
  };
  return index === undefined ? tracked : withIndex(tracked, { job, index, replaced });
}

interface IndexParts {
  readonly job: StoredJob;
  readonly index: number;
  readonly replaced: StoredPod | undefined;
}

function withIndex(pod: DeepReadonly<Pod>, { job, index, replaced }: IndexParts): DeepReadonly<Pod> {
  const { metadata, spec } = pod;
  const text = String(index);
  const isPerIndex = job.spec?.backoffLimitPerIndex !== undefined;
  return {
    ...pod,
    metadata: {
      ...metadata,
      generateName: indexedName(job.metadata.name, index),
      labels: { ...metadata.labels, [indexAnnotation]: text },
      annotations: { ...metadata.annotations, [indexAnnotation]: text, ...(isPerIndex ? failures(job, replaced) : {}) },
    },
    spec: {
      ...spec,
      hostname: `${job.metadata.name}-${index}`,
      ...(spec.initContainers === undefined ? {} : { initContainers: spec.initContainers.map(withIndexVariable) }),
      containers: spec.containers.map(withIndexVariable),
    },
  };
}

/**
 * Returns the failure counts that a pod takes over from the failed pod it replaces. They survive only in these
 * annotations, which is why the failed pod is kept until its replacement exists.
 */
function failures(job: StoredJob, replaced: StoredPod | undefined): Record<string, string> {
  if (replaced === undefined) return { [failureCountAnnotation]: "0" };
  const { counted, ignored } = failureCounts(replaced);
  const { isCounted } = matchFailurePolicy(job.spec?.podFailurePolicy, replaced);
  const ignoredNow = ignored + (isCounted ? 0 : 1);
  return {
    [failureCountAnnotation]: String(counted + (isCounted ? 1 : 0)),
    ...(ignoredNow > 0 ? { [ignoredFailureCountAnnotation]: String(ignoredNow) } : {}),
  };
}

function withIndexVariable(container: DeepReadonly<Container>): DeepReadonly<Container> {
  const name = "JOB_COMPLETION_INDEX";
  if (container.env?.some((variable) => variable.name === name)) return container;
  const fieldPath = `metadata.labels['${indexAnnotation}']`;
  return { ...container, env: [...(container.env ?? []), { name, valueFrom: { fieldRef: { fieldPath } } }] };
}

function indexedName(job: string, index: number): string {
  const end = `-${index}-`;
  return `${job.slice(0, generateNameMax - end.length)}${end}`;
}
