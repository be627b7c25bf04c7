// The scale of an object: how many replicas it has and should have, under one form for all kinds.

import { dnsSubdomainProblems, isRecord, type JsonRecord, safeSet } from "@homeostat/core";
import { checkObjectMeta, type Problem } from "@homeostat/schema";
import type { ScalePaths } from "../apply/scale-managers.ts";
import { Field } from "../kinds/shared/field.ts";
import { strategyOf } from "../kinds/strategies.ts";
import type { ScalePathsOfKind, ServedKind } from "../registry/served-kind.ts";
import { badRequestStatus, conflictStatus, internalErrorStatus, invalidStatus } from "../status/refusals.ts";
import { StatusError } from "../status/status.ts";
import { numberAt, textAt, valueAt } from "../values/fields.ts";

/** Shows objects of a kind as scales, and takes scales back. */
export interface ScaleView {
  /** Where the wished number stands in each version of the kind, for the owners of fields. */
  readonly paths: ScalePaths;
  /** Whether a scale is checked by itself. Of a custom resource the object is checked that comes of it. */
  readonly isChecked: boolean;
  /** The scale of an object, without managed fields. Throws a `StatusError` for one that has none. */
  scaleOf(object: JsonRecord): JsonRecord;
  /** The scale of an object that is about to be scaled: it may have no number yet. */
  scaleBefore(object: JsonRecord): JsonRecord;
  /** The object with the number and the version that a scale wishes for. Managed fields are the caller's. */
  withScale(object: JsonRecord, scale: JsonRecord): JsonRecord;
}

const replicas = ["spec", "replicas"];

/** The view of scales of a kind; undefined for kinds without. */
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
      wished: numberAt(object, "spec", "replicas"),
      current: numberAt(object, "status", "replicas"),
      selector: selectorOf(object),
    });
  return {
    paths: new Map([[apiVersion, replicas]]),
    isChecked: true,
    scaleOf,
    scaleBefore: scaleOf,
    withScale: (object, wanted) => {
      const spec = isRecord(object["spec"]) ? object["spec"] : {};
      return { ...object, metadata: metaWith(object, wanted), spec: { ...spec, replicas: wishedOf(wanted) } };
    },
  };
}

/** Stands for a number that nobody has said: the least there is. */
const unsaid = -(2 ** 31);

function customView(paths: ScalePathsOfKind, managerPaths: ScalePaths): ScaleView {
  const [spec, status] = [stepsOf(paths.specReplicasPath), stepsOf(paths.statusReplicasPath)];
  const selector = paths.labelSelectorPath === undefined ? undefined : stepsOf(paths.labelSelectorPath);
  const path = JSON.stringify(paths.specReplicasPath);
  const view = (object: JsonRecord, wished: number): JsonRecord => {
    const current = valueAt(object, ...status);
    return scale(object, {
      wished,
      current: typeof current === "number" ? current : 0,
      selector: selector === undefined ? "" : textAt(object, ...selector),
    });
  };
  return {
    paths: managerPaths,
    isChecked: false,
    scaleOf: (object) => {
      const wished = valueAt(object, ...spec);
      if (typeof wished === "number") return view(object, wished);
      throw new StatusError(internalErrorStatus(`the spec replicas field ${path} does not exist`));
    },
    scaleBefore: (object) => {
      const wished = valueAt(object, ...spec);
      return view(object, typeof wished === "number" ? wished : unsaid);
    },
    withScale: (object, wanted) => {
      const wished = wishedOf(wanted);
      if (wished === unsaid) throw new StatusError(badRequestStatus(`the spec replicas field ${path} cannot be empty`));
      const version = textAt(wanted, "metadata", "resourceVersion");
      const metadata = isRecord(object["metadata"]) ? object["metadata"] : {};
      const pinned = version === "" ? object : { ...object, metadata: { ...metadata, resourceVersion: version } };
      return withValue(pinned, spec, wished);
    },
  };
}

/** `.spec.replicas` as steps. */
function stepsOf(path: string): string[] {
  return path.replace(/^\./, "").split(".");
}

function withValue(object: JsonRecord, [first = "", ...rest]: readonly string[], value: unknown): JsonRecord {
  const copy: JsonRecord = { ...object };
  const inner = valueAt(object, first);
  safeSet(copy, first, rest.length === 0 ? value : withValue(isRecord(inner) ? inner : {}, rest, value));
  return copy;
}

interface Numbers {
  readonly wished: number;
  readonly current: number;
  readonly selector: string;
}

function scale(object: JsonRecord, { wished, current, selector }: Numbers): JsonRecord {
  const metadata = valueAt(object, "metadata");
  const kept = ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"];
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: Object.fromEntries(
      kept.map((field) => [field, valueAt(metadata, field)]).filter(([, value]) => value !== undefined),
    ),
    spec: wished === 0 ? {} : { replicas: wished },
    status: { replicas: current, ...(selector === "" ? {} : { selector }) },
  };
}

function wishedOf(wanted: JsonRecord): number {
  return numberAt(wanted, "spec", "replicas");
}

function metaWith(object: JsonRecord, wanted: JsonRecord): JsonRecord {
  const metadata = isRecord(object["metadata"]) ? object["metadata"] : {};
  const { resourceVersion: _version, ...rest } = metadata;
  const version = textAt(wanted, "metadata", "resourceVersion");
  return { ...rest, ...(version === "" ? {} : { resourceVersion: version }) };
}

/**
 * Throws a `StatusError` when a scale cannot be taken for an object: 422 for a wrong one, 409 for that of another object.
 *
 * `resource` is the one of the object.
 */
export function checkScale(
  wanted: JsonRecord,
  object: JsonRecord,
  resource: { readonly group: string; readonly resource: string },
): void {
  const problems: Problem[] = [];
  const name = textAt(object, "metadata", "name");
  const metadata = valueAt(wanted, "metadata");
  if (isRecord(metadata)) {
    problems.push(...checkObjectMeta(metadata, "metadata", { isNamespaced: true, nameProblems: dnsSubdomainProblems }));
  }
  const count = new Field(wanted, "", problems).at("spec").at("replicas");
  if (count.number < 0) count.invalid("must be greater than or equal to 0", count.number);
  if (problems.length > 0)
    throw new StatusError(invalidStatus({ group: "autoscaling", kind: "Scale" }, name, problems));
  const [said, uid] = [textAt(wanted, "metadata", "uid"), textAt(object, "metadata", "uid")];
  if (said === "" || said === uid) return;
  const why = `Precondition failed: UID in precondition: ${said}, UID in object meta: ${uid}`;
  throw new StatusError(conflictStatus({ ...resource, resource: `${resource.resource}/scale` }, name, why));
}
