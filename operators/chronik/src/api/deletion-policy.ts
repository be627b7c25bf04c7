import { isRecord } from "@homeostat/core";

/** Default of `spec.deletion.timeoutSeconds`. */
export const deletionTimeoutSeconds = 300;

/** The parts of a spec that a deletion depends on. */
export interface DeletionPolicy {
  readonly isProtected: boolean;
  readonly timeoutSeconds: number;
  readonly whenDeleted: "Retain" | "Delete";
}

/**
 * Reads the policy of a deletion from any spec. A cluster must be deletable regardless of its spec: the CRD that applies defaults and rejects wrong
 * types may be older than the operator, or without a schema. A value that cannot be read counts as the choice that keeps data.
 */
export function deletionPolicyOf(spec: unknown): DeletionPolicy {
  const timeout = valueIn(spec, ["deletion", "timeoutSeconds"]);
  return {
    isProtected: valueIn(spec, ["deletion", "protection"]) === true,
    timeoutSeconds: typeof timeout === "number" ? timeout : deletionTimeoutSeconds,
    whenDeleted: valueIn(spec, ["storage", "retentionPolicy", "whenDeleted"]) === "Delete" ? "Delete" : "Retain",
  };
}

function valueIn(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), value);
}
