import type { UpdateValidation } from "../strategy.ts";

/** The counts in a status, and how they go together. */
export interface StatusCounts {
  /** None of them is below zero, in the order in which they are looked at. */
  readonly counts: readonly string[];
  /** Those that cannot be more than all replicas. */
  readonly parts: readonly string[];
  /** What is said of more available replicas than ready ones; undefined where nobody minds. */
  readonly availableWords?: string;
}

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
