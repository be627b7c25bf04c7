import {
  addFinalizer,
  asStored,
  ConflictError,
  formatPointer,
  hasFinalizer,
  InvalidError,
  isEqual,
  type JsonPatchOperation,
  type KubeObject,
  type Stored,
} from "@homeostat/core";
import { isNotFound, nameOf, readLive, attemptsMax } from "./live.ts";
import type { ReconcileScope } from "./reconcile-scope.ts";

/** Result of adding or removing a finalizer. */
export type FinalizerResult =
  /** The object has the finalizer. */
  | { readonly result: "held"; readonly object: Stored<KubeObject> }
  /** The object does not have the finalizer. */
  | { readonly result: "free"; readonly object: Stored<KubeObject> }
  /** The object is being deleted without the finalizer. The API server forbids adding one now, so the caller must have no side effects. */
  | { readonly result: "leaving"; readonly object: Stored<KubeObject> }
  /** The object does not exist any more. */
  | { readonly result: "gone" };

/**
 * Adds a finalizer to the primary object unless it has it. Call it before the first side effect that the cleanup has to undo.
 *
 * Resolves with `held`, `leaving` or `gone`. Keeps the finalizers of other controllers. `formerly` lists finalizers that are replaced by this one.
 * `annotations` are set in the same request if the object has no finalizer yet and none of these annotations; otherwise they are ignored.
 */
export async function ensureFinalizer(
  scope: ReconcileScope,
  finalizer: string,
  {
    formerly = [],
    annotations = {},
  }: {
    readonly formerly?: readonly string[] | undefined;
    readonly annotations?: Readonly<Record<string, string>> | undefined;
  } = {},
): Promise<FinalizerResult> {
  const hasFormer = (object: Stored<KubeObject>): boolean => formerly.some((former) => hasFinalizer(object, former));
  return changeFinalizers(scope, {
    resultFor: (object) => {
      const isLeaving = object.metadata.deletionTimestamp !== undefined;
      if (hasFinalizer(object, finalizer) && (isLeaving || !hasFormer(object))) return "held";
      return isLeaving ? "leaving" : undefined;
    },
    patch: (object) =>
      hasFormer(object) ? replacing(object, finalizer, formerly) : adding(object, finalizer, annotations),
    after: "held",
  });
}

/**
 * Removes a finalizer from the primary object. Call it after the cleanup.
 *
 * Resolves with `free` or `gone`. Keeps the finalizers of other controllers in their order.
 */
export async function releaseFinalizer(scope: ReconcileScope, finalizer: string): Promise<FinalizerResult> {
  return changeFinalizers(scope, {
    resultFor: (object) => (hasFinalizer(object, finalizer) ? undefined : "free"),
    patch: (object) => removing(object, finalizer),
    after: "free",
  });
}

/** A change of the finalizers. */
interface FinalizerChange {
  /** Returns the result for an object that needs no patch; undefined if it needs one. */
  readonly resultFor: (object: Stored<KubeObject>) => "held" | "free" | "leaving" | undefined;
  readonly patch: (object: Stored<KubeObject>) => readonly JsonPatchOperation[];
  readonly after: "held" | "free";
}

/**
 * Patches the object, and reads it again and retries when it was not in the state that the patch expected.
 *
 * JSON patches with `test` operations are used instead of an update: they do not conflict with concurrent changes of other fields, such as a status
 * that is written frequently.
 */
async function changeFinalizers(
  scope: ReconcileScope,
  { resultFor, patch, after }: FinalizerChange,
): Promise<FinalizerResult> {
  const { client, fieldManager, signal, type } = scope;
  let object: Stored<KubeObject> = scope.object;
  for (let attempt = 1; ; attempt += 1) {
    const result = resultFor(object);
    if (result !== undefined) return { result, object };
    let failure: unknown;
    try {
      const response = await client.patch(type, nameOf(object), { json: patch(object) }, { fieldManager, signal });
      return { result: after, object: asStored(response) };
    } catch (error) {
      if (isNotFound(error)) return { result: "gone" };
      // The API server responds 422 both to a failed test operation and to an invalid object. The live object tells which it was.
      const mayBeOutdated = error instanceof ConflictError || error instanceof InvalidError;
      if (!mayBeOutdated || attempt === attemptsMax) throw error;
      failure = error;
    }
    const live = await readLive(scope, attempt);
    if (live === undefined) return { result: "gone" };
    // The patch for the live object is the same, so its test operations hold: the API server has rejected the object itself.
    const isRejected =
      failure instanceof InvalidError && resultFor(live) === undefined && isEqual(patch(live), patch(object));
    if (isRejected) throw failure;
    object = live;
  }
}

/**
 * Builds the patch that adds a finalizer. An existing list is tested for its known content and appended to. To create the list, the resource version
 * is tested: JSON patch cannot test that a field does not exist, and `add` would replace a list that another client has created meanwhile.
 */
function adding(
  object: Stored<KubeObject>,
  finalizer: string,
  annotations: Readonly<Record<string, string>>,
): readonly JsonPatchOperation[] {
  const { uid, resourceVersion, finalizers = [] } = addFinalizer(object, finalizer).metadata;
  const others = finalizers.slice(0, -1);
  const isSame: JsonPatchOperation = { op: "test", path: "/metadata/uid", value: uid };
  if (others.length === 0) {
    return [
      isSame,
      { op: "test", path: "/metadata/resourceVersion", value: resourceVersion },
      { op: "add", path: "/metadata/finalizers", value: [finalizer] },
      ...annotating(object, annotations),
    ];
  }
  return [
    isSame,
    { op: "test", path: "/metadata/finalizers", value: others },
    { op: "add", path: "/metadata/finalizers/-", value: finalizer },
  ];
}

/** Builds the operations that set annotations. Only valid after a test of the resource version, because they may create the map. */
function annotating(
  { metadata }: Stored<KubeObject>,
  annotations: Readonly<Record<string, string>>,
): readonly JsonPatchOperation[] {
  const entries = Object.entries(annotations);
  const existing = metadata.annotations;
  if (entries.length === 0) return [];
  if (existing === undefined) return [{ op: "add", path: "/metadata/annotations", value: annotations }];
  return entries
    .filter(([key]) => !Object.hasOwn(existing, key))
    .map(([key, value]) => ({ op: "add", path: formatPointer(["metadata", "annotations", key]), value }));
}

/** Builds the patch that replaces former finalizers by the current one. */
function replacing(
  { metadata }: Stored<KubeObject>,
  finalizer: string,
  formerly: readonly string[],
): readonly JsonPatchOperation[] {
  const { uid, finalizers = [] } = metadata;
  const others = finalizers.filter((name) => name !== finalizer && !formerly.includes(name));
  return [
    { op: "test", path: "/metadata/uid", value: uid },
    { op: "test", path: "/metadata/finalizers", value: finalizers },
    { op: "replace", path: "/metadata/finalizers", value: [...others, finalizer] },
  ];
}

/** Builds the patch that removes a finalizer at its known index, after testing that it is there. */
function removing({ metadata }: Stored<KubeObject>, finalizer: string): readonly JsonPatchOperation[] {
  const path = `/metadata/finalizers/${metadata.finalizers?.indexOf(finalizer) ?? 0}`;
  return [
    { op: "test", path: "/metadata/uid", value: metadata.uid },
    { op: "test", path, value: finalizer },
    { op: "remove", path },
  ];
}
