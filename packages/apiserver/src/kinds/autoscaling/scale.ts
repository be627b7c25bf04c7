// The `scale` subresource: desired and current replicas of an object, as a Scale of `autoscaling/v1` for every kind.

import { dnsSubdomainProblems, isRecord, type JsonRecord, safeSet } from "@homeostat/core";
import { checkObjectMeta, type Problem } from "@homeostat/schema";
import type { ScalePaths } from "../../apply/scale-managers.ts";
import { Field } from "../../validation/field.ts";
import { strategyOf } from "../strategies.ts";
import type { ScalePathsOfKind, ServedKind } from "../../resources/served-kind.ts";
import { badRequestStatus, conflictStatus, internalErrorStatus, invalidStatus } from "../../status/refusals.ts";
import { StatusError } from "../../status/status.ts";
import { numberAt, textAt, valueAt } from "../../values/fields.ts";

/** Converts objects of a kind to and from Scale. */
export interface ScaleView {
  /** Path of the desired replicas in each version of the kind, to map managed fields. */
  readonly paths: ScalePaths;
  /** True if the Scale itself is validated. For custom resources the resulting object is validated instead. */
  readonly isChecked: boolean;
  /** Returns the Scale of an object, without managed fields. Throws a `StatusError` (500) when the replicas field is not set. */
  scaleOf(object: JsonRecord): JsonRecord;
  /** Returns the Scale of an object before an update; its replicas field may not be set yet. */
  scaleBefore(object: JsonRecord): JsonRecord;
  /** Returns the object with the replicas and the `resourceVersion` of a Scale. The caller sets managed fields. */
  withScale(object: JsonRecord, scale: JsonRecord): JsonRecord;
}

const replicas = ["spec", "replicas"];

/** Returns the Scale conversion of a kind; undefined for kinds without `scale`. */
export function scaleViewOf(kind: ServedKind): ScaleView | undefined {
  const { group, version, plural } = kind.resource;
  const apiVersion = group === "" ? version : `${group}/${version}`;
  const { scaleSelector } = strategyOf({ group, plural });
  if (scaleSelector !== undefined) return builtInView(apiVersion, scaleSelector);
  return kind.scale === undefined ? undefined : customView(kind.scale, kind.scaleManagerPaths ?? new Map());
}

function builtInView(apiVersion: string, selectorOf: (object: JsonRecord) => string): ScaleView {
  const scaleOf = (object: JsonRecord): JsonRecord =>
    scale(object, {
      desired: numberAt(object, "spec", "replicas"),
      current: numberAt(object, "status", "replicas"),
      selector: selectorOf(object),
    });
  return {
    paths: new Map([[apiVersion, replicas]]),
    isChecked: true,
    scaleOf,
    scaleBefore: scaleOf,
    withScale: (object, sentScale) => {
      const spec = isRecord(object["spec"]) ? object["spec"] : {};
      return { ...object, metadata: metaWith(object, sentScale), spec: { ...spec, replicas: desiredOf(sentScale) } };
    },
  };
}

/** Stands for replicas that are not set: `invalidSpecReplicas`, the smallest int32, as in apiextensions-apiserver. */
const replicasUnset = -(2 ** 31);

function customView(paths: ScalePathsOfKind, managerPaths: ScalePaths): ScaleView {
  const [spec, status] = [stepsOf(paths.specReplicasPath), stepsOf(paths.statusReplicasPath)];
  const selector = paths.labelSelectorPath === undefined ? undefined : stepsOf(paths.labelSelectorPath);
  const path = JSON.stringify(paths.specReplicasPath);
  const view = (object: JsonRecord, desired: number): JsonRecord => {
    const current = valueAt(object, ...status);
    return scale(object, {
      desired,
      current: typeof current === "number" ? current : 0,
      selector: selector === undefined ? "" : textAt(object, ...selector),
    });
  };
  return {
    paths: managerPaths,
    isChecked: false,
    scaleOf: (object) => {
      const desired = valueAt(object, ...spec);
      if (typeof desired === "number") return view(object, desired);
      throw new StatusError(internalErrorStatus(`the spec replicas field ${path} does not exist`));
    },
    scaleBefore: (object) => {
      const desired = valueAt(object, ...spec);
      return view(object, typeof desired === "number" ? desired : replicasUnset);
    },
    withScale: (object, sentScale) => {
      const desired = desiredOf(sentScale);
      if (desired === replicasUnset)
        throw new StatusError(badRequestStatus(`the spec replicas field ${path} cannot be empty`));
      const version = textAt(sentScale, "metadata", "resourceVersion");
      const metadata = isRecord(object["metadata"]) ? object["metadata"] : {};
      const pinned = version === "" ? object : { ...object, metadata: { ...metadata, resourceVersion: version } };
      return withValue(pinned, spec, desired);
    },
  };
}

/** Splits a path such as `.spec.replicas`. */
function stepsOf(path: string): string[] {
  return path.replace(/^\./, "").split(".");
}

function withValue(object: JsonRecord, [first = "", ...rest]: readonly string[], value: unknown): JsonRecord {
  const copy: JsonRecord = { ...object };
  const inner = valueAt(object, first);
  safeSet(copy, first, rest.length === 0 ? value : withValue(isRecord(inner) ? inner : {}, rest, value));
  return copy;
}

interface ScaleValues {
  readonly desired: number;
  readonly current: number;
  readonly selector: string;
}

function scale(object: JsonRecord, { desired, current, selector }: ScaleValues): JsonRecord {
  const metadata = valueAt(object, "metadata");
  const kept = ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"];
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: Object.fromEntries(
      kept.map((field) => [field, valueAt(metadata, field)]).filter(([, value]) => value !== undefined),
    ),
    spec: desired === 0 ? {} : { replicas: desired },
    status: { replicas: current, ...(selector === "" ? {} : { selector }) },
  };
}

function desiredOf(sentScale: JsonRecord): number {
  return numberAt(sentScale, "spec", "replicas");
}

function metaWith(object: JsonRecord, sentScale: JsonRecord): JsonRecord {
  const metadata = isRecord(object["metadata"]) ? object["metadata"] : {};
  const { resourceVersion: _version, ...rest } = metadata;
  const version = textAt(sentScale, "metadata", "resourceVersion");
  return { ...rest, ...(version === "" ? {} : { resourceVersion: version }) };
}

/**
 * Validates a Scale for an object. Throws a `StatusError`: 422 when it is invalid, 409 when its uid is that of another object.
 *
 * `resource` is the resource of the object.
 */
export function checkScale(
  sentScale: JsonRecord,
  object: JsonRecord,
  resource: { readonly group: string; readonly resource: string },
): void {
  const problems: Problem[] = [];
  const name = textAt(object, "metadata", "name");
  const metadata = valueAt(sentScale, "metadata");
  if (isRecord(metadata)) {
    problems.push(...checkObjectMeta(metadata, "metadata", { isNamespaced: true, nameProblems: dnsSubdomainProblems }));
  }
  const count = new Field(sentScale, "", problems).at("spec").at("replicas");
  if (count.number < 0) count.invalid("must be greater than or equal to 0", count.number);
  if (problems.length > 0)
    throw new StatusError(invalidStatus({ group: "autoscaling", kind: "Scale" }, name, problems));
  const [sentUid, uid] = [textAt(sentScale, "metadata", "uid"), textAt(object, "metadata", "uid")];
  if (sentUid === "" || sentUid === uid) return;
  const why = `Precondition failed: UID in precondition: ${sentUid}, UID in object meta: ${uid}`;
  throw new StatusError(conflictStatus({ ...resource, resource: `${resource.resource}/scale` }, name, why));
}
