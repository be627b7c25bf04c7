import { isList, isRecord } from "@homeostat/core";
import { readableNumber } from "../log/readable-number.ts";
import type { QueueSnapshot } from "../queue/snapshot.ts";
import { jsonResponse, type Route, type RouteResponse } from "./route.ts";

/** What is known of the work of a program's controllers, as plain data. */
export interface WhySource {
  /** The controllers, where each stands, and its queue when it leads. */
  controllers(): readonly WhyController[];
  /** What is remembered of one object; undefined when nothing is. The key is `namespace/name`, or the name alone. */
  explain(controller: string, key: string): unknown;
}

/** A controller, as `/why` lists it. */
export interface WhyController {
  readonly name: string;
  /** Such as `leading`, or `degraded: …`. */
  readonly state: string;
  readonly queue?: QueueSnapshot | undefined;
}

/**
 * `/why`: what controllers do, and why; as JSON.
 *
 * `/why` lists controllers with their queues, `/why/tenants` is one of them, `/why/tenants/NAMESPACE/NAME` (or only a name)
 * tells what happened to an object: why it was queued, how its runs ended, what they wrote.
 */
export function whyRoute(source: WhySource): Route {
  return { path: "/why", isLocal: true, answer: ({ rest }) => answer(source, rest) };
}

function answer(source: WhySource, [name, ...keyParts]: readonly string[]): RouteResponse {
  const controllers = source.controllers();
  if (name === undefined) return jsonResponse(200, readable({ controllers }));
  const controller = controllers.find((candidate) => candidate.name === name);
  if (controller === undefined) {
    const names = controllers.map((candidate) => candidate.name);
    return notFound(`There is no controller ${name}. There are: ${names.join(", ") || "none"}.`);
  }
  if (keyParts.length === 0) return jsonResponse(200, readable(controller));
  const key = keyParts.join("/");
  if (keyParts.length > 2)
    return notFound(`${key} names no object; write /why/${name}/NAMESPACE/NAME or /why/${name}/NAME.`);
  const story = source.explain(name, key);
  if (story === undefined) {
    return notFound(
      `Nothing is remembered of ${key}: the controller ${name} has not seen it since this process began, or it is long ago.`,
    );
  }
  return jsonResponse(200, readable(story));
}

/** Returns the value with times and durations as people read them. */
function readable(value: unknown): unknown {
  if (isList(value)) return value.map(readable);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, readableField(name, field)]));
}

function readableField(name: string, value: unknown): unknown {
  return typeof value === "number" ? readableNumber(name, value) : readable(value);
}

function notFound(message: string): RouteResponse {
  return jsonResponse(404, { message });
}
