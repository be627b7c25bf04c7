import { ArgumentError } from "../errors/argument-error.ts";
import { qualifiedNameProblems } from "../selectors/qualified-name.ts";
import type { DeepReadonly, ObjectMeta } from "./object.ts";

/** Anything whose deletion a finalizer can hold back. */
export interface Finalizable {
  readonly metadata: DeepReadonly<ObjectMeta>;
}

/** Whether an object has a finalizer. */
export function hasFinalizer({ metadata }: Finalizable, finalizer: string): boolean {
  return metadata.finalizers?.includes(finalizer) ?? false;
}

/**
 * The object with a finalizer at the end of its list; the object itself when it has it.
 *
 * Throws an `ArgumentError` when the name is not of the form `example.com/name`, and when the object is being deleted:
 * the API server takes no new finalizers then, so look at `deletionTimestamp` first.
 */
export function addFinalizer<T extends Finalizable>(object: T, finalizer: string): T {
  checkFinalizer(finalizer);
  if (hasFinalizer(object, finalizer)) return object;
  if (object.metadata.deletionTimestamp !== undefined) {
    const problem = `is being deleted and can get no finalizer any more (${finalizer}). Look at metadata.deletionTimestamp first.`;
    throw new ArgumentError({ argument: "object", problem });
  }
  return withFinalizers(object, [...(object.metadata.finalizers ?? []), finalizer]);
}

/** The object without a finalizer, the others in their order; the object itself when it does not have it. */
export function removeFinalizer<T extends Finalizable>(object: T, finalizer: string): T {
  if (!hasFinalizer(object, finalizer)) return object;
  return withFinalizers(object, object.metadata.finalizers?.filter((other) => other !== finalizer) ?? []);
}

function checkFinalizer(finalizer: string): void {
  const [problem] = finalizer.includes("/")
    ? qualifiedNameProblems(finalizer)
    : ["must have a domain, as in example.com/cleanup, so that nobody else's has the same name"];
  if (problem === undefined) return;
  throw new ArgumentError({ argument: "finalizer", problem: `is ${JSON.stringify(finalizer)}; it ${problem}.` });
}

function withFinalizers<T extends Finalizable>(object: T, finalizers: readonly string[]): T {
  return { ...object, metadata: { ...object.metadata, finalizers } };
}
