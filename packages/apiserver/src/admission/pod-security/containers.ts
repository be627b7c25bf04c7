// Words and walks that the checks of pods share.

import { isList } from "@homeostat/core";
import { listAt, textAt, valueAt } from "../../values/fields.ts";

/** All containers of a pod, those that come first, the others, and those added later. */
export function containersOf(spec: unknown): readonly unknown[] {
  return ["initContainers", "containers", "ephemeralContainers"].flatMap((field) => listAt(spec, field));
}

/** The names of the containers that something is true of. */
export function namesOf(spec: unknown, isBad: (container: unknown) => boolean): string[] {
  return containersOf(spec)
    .filter(isBad)
    .map((container) => textAt(container, "name"));
}

/** A value of a container's or pod's securityContext. */
export function securityValue(holder: unknown, ...path: readonly string[]): unknown {
  return valueAt(holder, "securityContext", ...path);
}

/** The texts of a list in a securityContext. */
export function securityTexts(holder: unknown, ...path: readonly string[]): string[] {
  const found = securityValue(holder, ...path);
  return isList(found) ? found.filter((text) => typeof text === "string") : [];
}

/** `"a", "b"`, as they are. */
export function quoted(texts: Iterable<string>): string {
  const list = [...texts];
  return list.length === 0 ? "" : `"${list.join('", "')}"`;
}

/** Each once and in order, as a Go set prints. */
export function sortedSet(texts: Iterable<string>): string[] {
  return [...new Set(texts)].toSorted();
}

/** The word for one, or for several. */
export function plural(count: number, single: string, several: string): string {
  return count === 1 ? single : several;
}

/** `container "a"`, or `containers "a", "b"`. */
export function containersText(names: readonly string[]): string {
  return `${plural(names.length, "container", "containers")} ${quoted(names)}`;
}

/** Who set something: the pod itself, containers, or both. */
export function settersText(isPod: boolean, names: readonly string[]): string {
  return [...(isPod ? ["pod"] : []), ...(names.length === 0 ? [] : [containersText(names)])].join(" and ");
}
