import type { UpdateValidation } from "../strategy.ts";

/** Counts in a status, and the relations between them. */
export interface StatusCounts {
  /** Counts that must not be negative, in the order of the errors. */
  readonly counts: readonly string[];
  /** Counts that must not exceed `replicas`. */
  readonly parts: readonly string[];
  /** Error for more available than ready replicas; undefined when that is allowed. */
  readonly availableWords?: string;
}

/** Returns the validation of the counts in a status. `collisionCount` never decreases. */
export function checkCounts({ counts, parts, availableWords }: StatusCounts): UpdateValidation {
  return (object, old) => {
    const status = object.at("status");
    for (const name of counts) status.at(name).notNegative();
    const all = status.at("replicas").number;
    for (const name of parts) {
      if (status.at(name).number > all) status.at(name).invalid("cannot be greater than status.replicas");
    }
    const available = status.at("availableReplicas");
    if (availableWords !== undefined && available.number > status.at("readyReplicas").number)
      available.invalid(availableWords);
    const [collisions, before] = [status.at("collisionCount"), old.at("status").at("collisionCount")];
    if (before.isSet && (!collisions.isSet || collisions.number < before.number))
      collisions.invalid("cannot be decremented", collisions.number);
  };
}
