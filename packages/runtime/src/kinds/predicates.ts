import { type DeepReadonly, type Stored, isEqual, type KubeObject } from "@homeostat/core";
import type { Predicate } from "./predicate.ts";

/** Passes updates that change the value that a function selects from the object. Additions and deletions always pass. */
function changed<T extends KubeObject>(select: (object: Stored<T>) => unknown): Predicate<T> {
  return ({ type, object, old }) => type !== "update" || old === undefined || !isEqual(select(old), select(object));
}

/**
 * Passes updates that change `metadata.generation`, that is, the spec, and the start of a deletion. Additions and deletions always pass,
 * and so does an object that was deleted and recreated under the same name.
 *
 * Every update of a kind without generation passes, such as `ConfigMap` and `Secret`.
 */
function generationChanged<T extends KubeObject>(): Predicate<T> {
  const isChanged = changed<T>(({ metadata: { uid, generation, deletionTimestamp } }) => [
    uid,
    generation,
    deletionTimestamp,
  ]);
  return (event) => event.object.metadata.generation === undefined || isChanged(event);
}

/** Passes updates that change the labels. Additions and deletions always pass. */
function labelsChanged<T extends KubeObject>(): Predicate<T> {
  return changed<T>(({ metadata }) => metadata.labels ?? {});
}

/** Passes updates that change the annotations. Additions and deletions always pass. */
function annotationsChanged<T extends KubeObject>(): Predicate<T> {
  return changed<T>(({ metadata }) => metadata.annotations ?? {});
}

/**
 * Passes updates of everything except the status and server-set metadata, and updates of a selected part of the status. Additions and deletions
 * always pass. Use it for owned objects: drift of any field is noticed, and status updates that the reconciler does not read are ignored.
 *
 * @example
 * managed(Deployment, { when: when.specChangedOr(({ status }) => status?.readyReplicas) })
 */
function specChangedOr<T extends KubeObject>(part: (object: Stored<T>) => unknown): Predicate<T> {
  return changed((object: Stored<T>) => {
    const { resourceVersion: _version, managedFields: _fields, generation: _generation, ...metadata } = object.metadata;
    const { status: _status, ...rest }: DeepReadonly<KubeObject> & { readonly status?: unknown } = object;
    return [{ ...rest, metadata }, part(object)];
  });
}

/** Passes events that pass at least one of several predicates. */
function any<T extends KubeObject>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (event) => predicates.some((passes) => passes(event));
}

/** Passes events that pass all of several predicates. */
function all<T extends KubeObject>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (event) => predicates.every((passes) => passes(event));
}

/** Passes events that a predicate rejects. The negation of `changed` and similar predicates rejects all additions and deletions. */
function not<T extends KubeObject>(predicate: Predicate<T>): Predicate<T> {
  return (event) => !predicate(event);
}

/**
 * Predicates for the option `when`, which decide whether an event triggers a reconcile.
 *
 * A predicate is an optimization: correctness must not depend on it. Rejected changes are not lost, as the next reconcile for any other
 * reason sees them, at the latest when a new leader reconciles every object.
 *
 * @example
 * when: when.any(when.generationChanged(), when.changed((test) => test.metadata.annotations?.["example.com/paused"]))
 */
export const when: {
  readonly generationChanged: typeof generationChanged;
  readonly labelsChanged: typeof labelsChanged;
  readonly annotationsChanged: typeof annotationsChanged;
  readonly changed: typeof changed;
  readonly specChangedOr: typeof specChangedOr;
  readonly any: typeof any;
  readonly all: typeof all;
  readonly not: typeof not;
} = { generationChanged, labelsChanged, annotationsChanged, changed, specChangedOr, any, all, not };
