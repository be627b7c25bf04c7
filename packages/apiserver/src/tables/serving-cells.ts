// The cells of what says how the server itself serves.

import { isSet, listAt, numberAt, textAt, valueAt } from "./read.ts";
import { age, nameOf } from "./words.ts";

/** The cells of a version of a group. */
export function apiServiceCells(object: unknown, nowMs: number): unknown[] {
  const service = valueAt(object, "spec", "service");
  const where = isSet(service) ? `${textAt(service, "namespace")}/${textAt(service, "name")}` : "Local";
  return [nameOf(object), where, availability(object), age(object, nowMs)];
}

function availability(object: unknown): string {
  const condition = listAt(object, "status", "conditions").find((each) => textAt(each, "type") === "Available");
  if (condition === undefined) return "Unknown";
  const [status, reason] = [textAt(condition, "status"), textAt(condition, "reason")];
  return status === "True" || reason === "" ? status : `${status} (${reason})`;
}

/** The cells of a flow of requests. */
export function flowSchemaCells(object: unknown, nowMs: number): unknown[] {
  const method = valueAt(object, "spec", "distinguisherMethod");
  const dangling = listAt(object, "status", "conditions").find((each) => textAt(each, "type") === "Dangling");
  return [
    nameOf(object),
    textAt(object, "spec", "priorityLevelConfiguration", "name"),
    numberAt(object, "spec", "matchingPrecedence"),
    isSet(method) ? textAt(method, "type") : "<none>",
    age(object, nowMs),
    dangling === undefined ? "?" : textAt(dangling, "status"),
  ];
}

/** Flows that are asked first stand first; those of one rank by name. */
export function byPrecedence(a: unknown, b: unknown): number {
  const rank = (each: unknown): number => numberAt(each, "spec", "matchingPrecedence");
  return rank(a) - rank(b) || (nameOf(a) < nameOf(b) ? -1 : 1);
}

/** The cells of a level of requests. */
export function priorityLevelCells(object: unknown, nowMs: number): unknown[] {
  const limited = valueAt(object, "spec", "limited");
  const queuing = valueAt(limited, "limitResponse", "queuing");
  const shown = (part: unknown, field: string): unknown => (isSet(part) ? numberAt(part, field) : "<none>");
  return [
    nameOf(object),
    textAt(object, "spec", "type"),
    shown(limited, "nominalConcurrencyShares"),
    shown(queuing, "queues"),
    shown(queuing, "handSize"),
    shown(queuing, "queueLengthLimit"),
    age(object, nowMs),
  ];
}
