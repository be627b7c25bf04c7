import {
  addFinalizer,
  asStored,
  ConflictError,
  hasFinalizer,
  InvalidError,
  isEqual,
  type JsonPatchOperation,
  type KubeObject,
  type Stored,
} from "@homeostat/core";
import { isAbsence, nameOf, readAgain, triesMax } from "./live.ts";
import type { RunScope } from "./reconcile-scope.ts";

/** How an object stands with a finalizer. */
export type FinalizerResult =
  /** It has it. */
  | { readonly result: "held"; readonly object: Stored<KubeObject> }
  /** It does not have it. */
  | { readonly result: "free"; readonly object: Stored<KubeObject> }
  /** It is being deleted, without it, and cannot get it any more: there must be no side effects. */
  | { readonly result: "leaving"; readonly object: Stored<KubeObject> }
  /** It is gone. */
  | { readonly result: "gone" };

/**
 * Sees to it that the object at hand has a finalizer, before anything is done that would have to be cleared up.
 *
 * Resolves with `held`, `leaving` or `gone`. Touches nothing but the list of finalizers, of which others' stay as they are.
 * `formerly`: those that it takes the place of.
 */
export async function ensureFinalizer(
  scope: RunScope,
  finalizer: string,
  { formerly = [] }: { readonly formerly?: readonly string[] | undefined } = {},
): Promise<FinalizerResult> {
  const hasFormer = (object: Stored<KubeObject>): boolean => formerly.some((former) => hasFinalizer(object, former));
  return settle(scope, {
    look: (object) => {
      const isLeaving = object.metadata.deletionTimestamp !== undefined;
      if (hasFinalizer(object, finalizer) && (isLeaving || !hasFormer(object))) return "held";
      return isLeaving ? "leaving" : undefined;
    },
    patch: (object) => (hasFormer(object) ? replacing(object, finalizer, formerly) : adding(object, finalizer)),
    after: "held",
  });
}

/**
 * Takes a finalizer away from the object at hand, after everything is cleared up.
 *
 * Resolves with `free` or `gone`. Others' finalizers stay, in their order.
 */
export async function releaseFinalizer(scope: RunScope, finalizer: string): Promise<FinalizerResult> {
  return settle(scope, {
    look: (object) => (hasFinalizer(object, finalizer) ? undefined : "free"),
    patch: (object) => removing(object, finalizer),
    after: "free",
  });
}

interface Step {
  /** How the object stands; undefined when something is to be done. */
  readonly look: (object: Stored<KubeObject>) => "held" | "free" | "leaving" | undefined;
  readonly patch: (object: Stored<KubeObject>) => readonly JsonPatchOperation[];
  readonly after: "held" | "free";
}

/** Patches until the object stands as it should, reading it again when it was not as the patch took it to be. */
async function settle(scope: RunScope, { look, patch, after }: Step): Promise<FinalizerResult> {
  const { client, fieldManager, signal, type } = scope;
  let object: Stored<KubeObject> = scope.object;
  for (let tries = 1; ; tries += 1) {
    const standing = look(object);
    if (standing !== undefined) return { result: standing, object };
    let failure: unknown;
    try {
      const answer = await client.patch(type, nameOf(object), { json: patch(object) }, { fieldManager, signal });
      return { result: after, object: asStored(answer) };
    } catch (error) {
      if (isAbsence(error)) return { result: "gone" };
      // A test that fails is answered like an object that is invalid; which it was, the object itself tells.
      const mayBeOutdated = error instanceof ConflictError || error instanceof InvalidError;
      if (!mayBeOutdated || tries === triesMax) throw error;
      failure = error;
    }
    const live = await readAgain(scope, tries);
    if (live === undefined) return { result: "gone" };
    const isRefused =
      failure instanceof InvalidError && look(live) === undefined && isEqual(patch(live), patch(object));
    if (isRefused) throw failure;
    object = live;
  }
}

/** A list that is there is tested as it is known and added to; to make one, nothing may have changed at all. */
function adding(object: Stored<KubeObject>, finalizer: string): readonly JsonPatchOperation[] {
  const { uid, resourceVersion, finalizers = [] } = addFinalizer(object, finalizer).metadata;
  const others = finalizers.slice(0, -1);
  const isSame: JsonPatchOperation = { op: "test", path: "/metadata/uid", value: uid };
  if (others.length === 0) {
    return [
      isSame,
      { op: "test", path: "/metadata/resourceVersion", value: resourceVersion },
      { op: "add", path: "/metadata/finalizers", value: [finalizer] },
    ];
  }
  return [
    isSame,
    { op: "test", path: "/metadata/finalizers", value: others },
    { op: "add", path: "/metadata/finalizers/-", value: finalizer },
  ];
}

/** The list as it is known, with one finalizer in the place of others. */
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

function removing({ metadata }: Stored<KubeObject>, finalizer: string): readonly JsonPatchOperation[] {
  const path = `/metadata/finalizers/${metadata.finalizers?.indexOf(finalizer) ?? 0}`;
  return [
    { op: "test", path: "/metadata/uid", value: metadata.uid },
    { op: "test", path, value: finalizer },
    { op: "remove", path },
  ];
}
