import type { KubeObject } from "@homeostat/core";
import type { Deduplicator } from "./deduplicator.ts";
import { objectLine } from "./object-line.ts";

/** Returns a factory of handlers, one per kind, that print a line whenever the state of an object changes. */
export function objectPrinter(deduplicator: Deduplicator, say: (text: string) => void) {
  return <T extends KubeObject>(kind: string, stateOf: (object: T) => string) =>
    (object: T, isDeleted: boolean): void => {
      const { uid = "", name = "" } = object.metadata;
      const state = isDeleted ? "deleted" : stateOf(object);
      if (deduplicator.isNew(uid, state)) say(objectLine(kind, name, state));
    };
}
