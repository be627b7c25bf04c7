import { annotations } from "./annotations.ts";

/**
 * Handling of fields of a cluster's objects that another field manager has set to a different value, by the annotation `chronik.stream/apply-force`.
 *
 * `owned` takes them back and reports the other managers. `always` takes them without a report. `never` changes nothing and reports the conflict as
 * an error. Desired objects contain only fields that belong to the operator, so the first two take the same fields.
 */
export const applyForces = ["owned", "always", "never"] as const;

export type ApplyForce = (typeof applyForces)[number];

/** Returns the value of the annotation; undefined if it is not a known one. */
export function applyForceOf(metadata: {
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}): ApplyForce | undefined {
  const given = metadata.annotations?.[annotations.applyForce] ?? "owned";
  return applyForces.find((known) => known === given);
}
