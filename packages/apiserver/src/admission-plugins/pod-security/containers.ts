// Helpers shared by the checks: container lists and message texts.

import { isList } from "@homeostat/core";
import { listAt, textAt, valueAt } from "../../values/fields.ts";

/** Returns all containers of a pod: init containers, containers and ephemeral containers. */
export function containersOf(spec: unknown): readonly unknown[] {
  return ["initContainers", "containers", "ephemeralContainers"].flatMap((field) => listAt(spec, field));
}

/** Returns the names of the containers that match a predicate. */
export function namesOf(spec: unknown, isBad: (container: unknown) => boolean): string[] {
  return containersOf(spec)
    .filter(isBad)
    .map((container) => textAt(container, "name"));
}

/** Returns a value of the securityContext of a pod or container. */
export function securityValue(holder: unknown, ...path: readonly string[]): unknown {
  return valueAt(holder, "securityContext", ...path);
}

/** Returns the strings of a list in a securityContext. */
export function securityTexts(holder: unknown, ...path: readonly string[]): string[] {
  const found = securityValue(holder, ...path);
  return isList(found) ? found.filter((text) => typeof text === "string") : [];
}

/** Formats strings as `"a", "b"`, without escapes. */
export function quoted(texts: Iterable<string>): string {
  const list = [...texts];
  return list.length === 0 ? "" : `"${list.join('", "')}"`;
}

/** Returns the distinct strings in sorted order, as Go's string sets print them. */
export function sortedSet(texts: Iterable<string>): string[] {
  return [...new Set(texts)].toSorted();
}

/** Returns the singular or the plural form. */
export function plural(count: number, single: string, several: string): string {
  return count === 1 ? single : several;
}

/** Formats container names: `container "a"`, or `containers "a", "b"`. */
export function containersText(names: readonly string[]): string {
  return `${plural(names.length, "container", "containers")} ${quoted(names)}`;
}

/** Formats the subject of a message: the pod, containers, or both. */
export function settersText(isPod: boolean, names: readonly string[]): string {
  return [...(isPod ? ["pod"] : []), ...(names.length === 0 ? [] : [containersText(names)])].join(" and ");
}
