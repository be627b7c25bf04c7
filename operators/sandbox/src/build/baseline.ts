// The workload of the baseline, in one form for all kinds.

import { isList, isRecord, type JsonRecord, ownValue } from "@homeostat/core";
import type { DeepReadonly, KubeObject } from "homeostat";
import type { PodTemplateSpec } from "@homeostat/kubernetes/core/v1";
import type { TargetRef } from "../api/sandbox.ts";

/** A pod template as it is read from the cache. */
export type PodTemplate = DeepReadonly<PodTemplateSpec>;

/** The pod spec of a template. */
export type TemplateSpec = NonNullable<PodTemplate["spec"]>;

/** A container or init container of a template. */
export type TemplateContainer = TemplateSpec["containers"][number];

/** A volume of a template. */
export type TemplateVolume = NonNullable<TemplateSpec["volumes"]>[number];

/** A workload of the baseline, as far as forks depend on it. */
export interface Baseline {
  readonly kind: TargetRef["kind"];
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly generation: number;
  readonly template: PodTemplate & { readonly spec: TemplateSpec };
  readonly minReadySeconds: number | undefined;
  /** Names of the volumes that a StatefulSet claims for each of its pods. */
  readonly claimedVolumes: readonly string[];
}

/** The workload object of the baseline, and the object that a Rollout refers to. */
export interface BaselineObjects {
  readonly kind: TargetRef["kind"];
  readonly object: DeepReadonly<KubeObject>;
  /** The object named by `spec.workloadRef` of a Rollout, if it was found. */
  readonly referenced?: DeepReadonly<KubeObject> | undefined;
}

/** A reference of a Rollout to the workload with its pod template. */
export interface WorkloadRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
}

/** Returns the workload that a Rollout takes its pod template from; undefined if the Rollout contains its own. */
export function workloadRefOf(rollout: DeepReadonly<KubeObject>): WorkloadRef | undefined {
  const reference = ownValue(specOf(rollout), "workloadRef");
  if (!isRecord(reference)) return undefined;
  const { apiVersion, kind, name } = reference;
  if (typeof kind !== "string" || typeof name !== "string") return undefined;
  return { apiVersion: typeof apiVersion === "string" ? apiVersion : "apps/v1", kind, name };
}

/** Returns the baseline, or undefined if no pod template exists: a Rollout refers to a missing workload, or the template is invalid. */
export function readBaseline({ kind, object, referenced }: BaselineObjects): Baseline | undefined {
  const spec = specOf(object);
  const isReference = kind === "Rollout" && workloadRefOf(object) !== undefined;
  const source = isReference ? (referenced === undefined ? {} : specOf(referenced)) : spec;
  const template = ownValue(source, "template");
  if (!isPodTemplate(template)) return undefined;
  const minReadySeconds = ownValue(spec, "minReadySeconds");
  const { namespace = "", name = "", uid = "", generation = 0 } = object.metadata;
  return {
    kind,
    namespace,
    name,
    uid,
    // A change of the referenced workload does not change the generation of the Rollout.
    generation: generation + (isReference ? (referenced?.metadata.generation ?? 0) : 0),
    template,
    minReadySeconds: typeof minReadySeconds === "number" ? minReadySeconds : undefined,
    claimedVolumes: kind === "StatefulSet" ? claimNames(ownValue(spec, "volumeClaimTemplates")) : [],
  };
}

function specOf(object: DeepReadonly<KubeObject>): JsonRecord {
  const fields: JsonRecord = { ...object };
  const spec = ownValue(fields, "spec");
  return isRecord(spec) ? spec : {};
}

/**
 * Reports whether a value has the parts of a pod template that every API server checks. Rollouts are custom resources, which only their CRD schema
 * checks.
 */
function isPodTemplate(value: unknown): value is Baseline["template"] {
  if (!isRecord(value)) return false;
  const spec = ownValue(value, "spec");
  if (!isRecord(spec)) return false;
  const containers = ownValue(spec, "containers");
  const init = ownValue(spec, "initContainers") ?? [];
  return isNamedList(containers) && containers.length > 0 && isNamedList(init);
}

function isNamedList(value: unknown): value is readonly JsonRecord[] {
  return isList(value) && value.every((each) => isRecord(each) && typeof each["name"] === "string");
}

function claimNames(templates: unknown): string[] {
  if (!isList(templates)) return [];
  return templates.flatMap((each) => {
    const metadata = isRecord(each) ? ownValue(each, "metadata") : undefined;
    const name = isRecord(metadata) ? ownValue(metadata, "name") : undefined;
    return typeof name === "string" ? [name] : [];
  });
}
