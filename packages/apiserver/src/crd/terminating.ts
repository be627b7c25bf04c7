import { isRecord, type JsonRecord, parseTime } from "@homeostat/core";
import { type FoundCondition, withCondition } from "./conditions.ts";
import { recordOf, textOf, textsOf } from "../values/properties.ts";

/** The finalizer that keeps a definition until all its objects are deleted. */
export const cleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

function terminating(status: "True" | "False", reason: string, message: string): FoundCondition {
  return { type: "Terminating", status, reason, message };
}

/** The `Terminating` conditions in the order of the deletion. */
export const terminatingConditions: {
  readonly inProgress: FoundCondition;
  readonly completed: FoundCondition;
  readonly neverEstablished: FoundCondition;
  readonly failed: (why: string) => FoundCondition;
  readonly unconfirmed: (why: string) => FoundCondition;
} = {
  inProgress: terminating("True", "InstanceDeletionInProgress", "CustomResource deletion is in progress"),
  completed: terminating("False", "InstanceDeletionCompleted", "removed all instances"),
  neverEstablished: terminating("False", "NeverEstablished", "resource was never established"),
  failed: (why) => terminating("True", "InstanceDeletionFailed", `could not issue all deletes: ${why}`),
  unconfirmed: (why) =>
    terminating("True", "InstanceDeletionCheck", `could not confirm zero CustomResources remaining: ${why}`),
};

/** Marks a definition whose deletion begins, in place: adds the cleanup finalizer and the condition. */
export function beginTermination(object: JsonRecord): void {
  const metadata = recordOf(object, "metadata");
  const finalizers = textsOf(metadata, "finalizers");
  const marked = finalizers.includes(cleanupFinalizer) ? finalizers : [...finalizers, cleanupFinalizer];
  const pending = terminating(
    "True",
    "InstanceDeletionPending",
    "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
  );
  const next = withCondition(object, pending, parseTime(textOf(metadata, "deletionTimestamp")));
  object["metadata"] = { ...metadata, finalizers: marked };
  object["status"] = next["status"];
}

/** Reports whether a definition is being deleted and waits for its objects. */
export function isTerminating(object: JsonRecord): boolean {
  const metadata = recordOf(object, "metadata");
  return textOf(metadata, "deletionTimestamp") !== "" && textsOf(metadata, "finalizers").includes(cleanupFinalizer);
}

/** Returns the definition without the cleanup finalizer. */
export function withoutCleanupFinalizer(object: JsonRecord): JsonRecord {
  const metadata = recordOf(object, "metadata");
  const { finalizers: _, ...rest } = isRecord(metadata) ? metadata : {};
  const left = textsOf(metadata, "finalizers").filter((name) => name !== cleanupFinalizer);
  return { ...object, metadata: left.length === 0 ? rest : { ...metadata, finalizers: left } };
}
