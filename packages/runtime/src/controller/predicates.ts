import { type DeepReadonly, type Stored, isEqual, type KubeObject } from "@homeostat/core";
import type { Predicate } from "./predicate.ts";

/** Whether something that a function picks from the object is different. Additions and deletions always pass. */
function changed<T extends KubeObject>(select: (object: Stored<T>) => unknown): Predicate<T> {
  return ({ type, object, old }) => type !== "update" || old === undefined || !isEqual(select(old), select(object));
}

/**
 * Whether the spec is different, or the object began to be deleted: `metadata.generation`. Additions and deletions always
 * pass, and so does an object that was made anew under the same name.
 *
 * Not every kind has a generation (`ConfigMap` and `Secret` have none): of those that do not, every change passes.
 */
function generationChanged<T extends KubeObject>(): Predicate<T> {
  const isChanged = changed<T>(({ metadata: { uid, generation, deletionTimestamp } }) => [
    uid,
    generation,
    deletionTimestamp,
  ]);
  return (event) => event.object.metadata.generation === undefined || isChanged(event);
}

/** Whether the labels are different. Additions and deletions always pass. */
function labelsChanged<T extends KubeObject>(): Predicate<T> {
  return changed<T>(({ metadata }) => metadata.labels ?? {});
}

/** Whether the annotations are different. Additions and deletions always pass. */
function annotationsChanged<T extends KubeObject>(): Predicate<T> {
  return changed<T>(({ metadata }) => metadata.annotations ?? {});
}

/**
 * Passes changes of anything but the status and server-set metadata, and of a part of the status. Additions and
 * deletions always pass. For owned objects: corrects drift of any field, and ignores the counters of a status that nothing reads.
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

/** Whether at least one of several predicates passes an event. */
function any<T extends KubeObject>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (event) => predicates.some((passes) => passes(event));
}

/** Whether all of several predicates pass an event. */
function all<T extends KubeObject>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (event) => predicates.every((passes) => passes(event));
}

/** Whether a predicate holds an event back. Of `changed` and the like that includes additions and deletions. */
function not<T extends KubeObject>(predicate: Predicate<T>): Predicate<T> {
  return (event) => !predicate(event);
}

/**
 * Predicates: which events are worth a reconcile.
 *
 * They save work and never carry meaning: a reconciler that is called once too often finds nothing to do. What they hold
 * back is looked at when something else leads to a reconcile, at the latest when a term begins.
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
