import { ArgumentError } from "../errors/argument-error.ts";
import { qualifiedNameProblems } from "./qualified-name.ts";
import type { ObjectMeta } from "./object.ts";
import type { DeepReadonly } from "../value/deep-readonly.ts";

/** An object that can have finalizers. */
export interface Finalizable {
  readonly metadata: DeepReadonly<ObjectMeta>;
}

/** Reports whether an object has a finalizer. */
export function hasFinalizer({ metadata }: Finalizable, finalizer: string): boolean {
  return metadata.finalizers?.includes(finalizer) ?? false;
}

/**
 * Returns the object with a finalizer appended, or the same object if it already has it.
 *
 * Throws an `ArgumentError` if the name is not of the form `example.com/name`, or if the object is being deleted: the API server
 * then rejects new finalizers, so check `deletionTimestamp` first.
 */
export function addFinalizer<T extends Finalizable>(object: T, finalizer: string): T {
  checkFinalizer(finalizer);
  if (hasFinalizer(object, finalizer)) return object;
  if (object.metadata.deletionTimestamp !== undefined) {
    const problem = `is being deleted, so the finalizer ${finalizer} can no longer be added. Check metadata.deletionTimestamp first.`;
    throw new ArgumentError({ argument: "object", problem });
  }
  return withFinalizers(object, [...(object.metadata.finalizers ?? []), finalizer]);
}

/** Returns the object without a finalizer, or the same object if it does not have it. The order of the others is kept. */
export function removeFinalizer<T extends Finalizable>(object: T, finalizer: string): T {
  if (!hasFinalizer(object, finalizer)) return object;
  return withFinalizers(object, object.metadata.finalizers?.filter((other) => other !== finalizer) ?? []);
}

function checkFinalizer(finalizer: string): void {
  const [problem] = finalizer.includes("/")
    ? qualifiedNameProblems(finalizer)
    : ["must have a domain, as in example.com/cleanup, to be unique"];
  if (problem === undefined) return;
  throw new ArgumentError({ argument: "finalizer", problem: `is ${JSON.stringify(finalizer)}; it ${problem}.` });
}

function withFinalizers<T extends Finalizable>(object: T, finalizers: readonly string[]): T {
  return { ...object, metadata: { ...object.metadata, finalizers } };
}
