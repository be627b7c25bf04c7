// Secrets and ConfigMaps that pods of a sandbox read.
//
// Pods read them with the permissions of the kubelet, not of the user. Admission therefore checks that the user may read each one that the pods of
// the baseline do not read already.

import { type DeepReadonly, isList, isRecord, ownValue, ParseError, parsePointer } from "@homeostat/core";
import type { EntryPatch, ServiceEntry } from "../api/sandbox.ts";

/** A Secret or ConfigMap in the namespace of the workload. */
export interface Reference {
  readonly kind: "Secret" | "ConfigMap";
  readonly name: string;
  /** The field that names it first. */
  readonly path: string;
}

const pod = "^/spec/template/spec";
const container = `${pod}/(?:containers|initContainers|ephemeralContainers)/\\*`;
const volume = `${pod}/volumes/\\*`;

/** Paths of the fields of a workload that name a Secret or a ConfigMap, with `*` for positions in lists. */
const places: readonly (readonly [Reference["kind"], RegExp])[] = [
  ["Secret", new RegExp(`${pod}/imagePullSecrets/\\*/name$`)],
  ["Secret", new RegExp(`${container}/env/\\*/valueFrom/secretKeyRef/name$`)],
  ["ConfigMap", new RegExp(`${container}/env/\\*/valueFrom/configMapKeyRef/name$`)],
  ["Secret", new RegExp(`${container}/envFrom/\\*/secretRef/name$`)],
  ["ConfigMap", new RegExp(`${container}/envFrom/\\*/configMapRef/name$`)],
  ["Secret", new RegExp(`${volume}/secret/secretName$`)],
  ["ConfigMap", new RegExp(`${volume}/configMap/name$`)],
  ["Secret", new RegExp(`${volume}/projected/sources/\\*/secret/name$`)],
  ["ConfigMap", new RegExp(`${volume}/projected/sources/\\*/configMap/name$`)],
  ["Secret", new RegExp(`${volume}/csi/nodePublishSecretRef/name$`)],
  ["Secret", new RegExp(`${volume}/azureFile/secretName$`)],
  ["Secret", new RegExp(`${volume}/(?:cephfs|cinder|flexVolume|iscsi|rbd|scaleIO|storageos)/secretRef/name$`)],
];

/** Returns the Secrets and ConfigMaps that pods of a workload read, each once. `workload` has the pod template in `spec.template`. */
export function workloadReferences(workload: unknown): Reference[] {
  return unique(referencesIn(workload, { pointer: "", path: "" }));
}

/** Returns the Secrets and ConfigMaps that an entry adds to those of its baseline, each once. */
export function entryReferences(entry: DeepReadonly<ServiceEntry>, path: string): Reference[] {
  return unique([...variableReferences(entry, path), ...patchReferences(entry.patches ?? [], `${path}.patches`)]);
}

/** Returns the references that are not among the known ones. */
export function newReferences(references: readonly Reference[], known: readonly Reference[]): Reference[] {
  const names = new Set(known.map(keyOf));
  return references.filter((reference) => !names.has(keyOf(reference)));
}

function* variableReferences({ containers = [] }: DeepReadonly<ServiceEntry>, path: string): Iterable<Reference> {
  for (const [index, { env = [] }] of containers.entries()) {
    for (const [at, { valueFrom }] of env.entries()) {
      const { secretKeyRef, configMapKeyRef } = valueFrom ?? {};
      const place = `${path}.containers[${index}].env[${at}].valueFrom`;
      yield* named("Secret", secretKeyRef?.name, `${place}.secretKeyRef.name`);
      yield* named("ConfigMap", configMapKeyRef?.name, `${place}.configMapKeyRef.name`);
    }
  }
}

function* patchReferences(patches: readonly DeepReadonly<EntryPatch>[], path: string): Iterable<Reference> {
  for (const [index, { type, value }] of patches.entries()) {
    const at = `${path}[${index}].value`;
    if (type !== "JSON") yield* referencesIn(value, { pointer: "", path: at });
    else if (isList(value)) {
      for (const [position, operation] of value.entries()) yield* operationReferences(operation, `${at}[${position}]`);
    }
  }
}

function* operationReferences(operation: unknown, path: string): Iterable<Reference> {
  const target = isRecord(operation) ? ownValue(operation, "path") : undefined;
  if (!isRecord(operation) || typeof target !== "string") return;
  let steps: readonly string[];
  try {
    steps = parsePointer(target);
  } catch (error) {
    // Another rule reports pointers that cannot be parsed.
    if (error instanceof ParseError) return;
    throw error;
  }
  const pointer = steps.map((step) => `/${/^(?:\d+|-)$/.test(step) ? "*" : step}`).join("");
  yield* referencesIn(ownValue(operation, "value"), { pointer, path: `${path}.value` });
}

/** Yields the references of a value that is at a pointer of a workload. */
function* referencesIn(value: unknown, at: { readonly pointer: string; readonly path: string }): Iterable<Reference> {
  const { pointer, path } = at;
  if (typeof value === "string") {
    const found = places.find(([, place]) => place.test(pointer));
    if (found !== undefined) yield* named(found[0], value, path);
  } else if (isList(value)) {
    for (const [index, each] of value.entries()) {
      yield* referencesIn(each, { pointer: `${pointer}/*`, path: `${path}[${index}]` });
    }
  } else if (isRecord(value)) {
    for (const [key, each] of Object.entries(value)) {
      yield* referencesIn(each, { pointer: `${pointer}/${key}`, path: path === "" ? key : `${path}.${key}` });
    }
  }
}

function* named(kind: Reference["kind"], name: string | undefined, path: string): Iterable<Reference> {
  if (name !== undefined && name !== "") yield { kind, name, path };
}

function unique(references: Iterable<Reference>): Reference[] {
  const found = new Map<string, Reference>();
  for (const reference of references) {
    const key = keyOf(reference);
    if (!found.has(key)) found.set(key, reference);
  }
  return [...found.values()];
}

function keyOf({ kind, name }: Reference): string {
  return `${kind}/${name}`;
}
