import type { KubeObject } from "@homeostat/core";
import { objectLine } from "./object-line.ts";
import type { Told } from "./told.ts";

/** Makes what says a line whenever the state of an object of some kind is another than it was. */
export function tellOf(told: Told, say: (text: string) => void) {
  return <T extends KubeObject>(kind: string, stateOf: (object: T) => string) =>
    (object: T, isGone: boolean): void => {
      const { uid = "", name = "" } = object.metadata;
      const state = isGone ? "is gone" : stateOf(object);
      if (told.isNews(uid, state)) say(objectLine(kind, name, state));
    };
}
