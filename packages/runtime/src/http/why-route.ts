import { isList, isRecord } from "@homeostat/core";
import type { RecordedError } from "../history/reconcile-record.ts";
import { readableNumber } from "../log/readable-number.ts";
import type { QueueSnapshot } from "../queue/snapshot.ts";
import { jsonResponse, type Route, type RouteResponse } from "./route.ts";

/** Plain data about the work of the controllers of a program. */
export interface WhySource {
  /** Returns the controllers with their states, and their queues while they are running as leader. */
  controllers(): readonly WhyController[];
  /** Returns the informers of the cache that the controllers share. */
  informers(): readonly WhyInformer[];
  /** Reports whether the controllers of this process work: it is the leader, or there is no leader election. */
  isLeading(): boolean;
  /**
   * Returns the recorded history of one object; undefined if there is none. The key is `namespace/name`, or the name
   * alone.
   */
  explain(controller: string, key: string): unknown;
}

/** A controller as listed by `/why`. */
export interface WhyController {
  readonly name: string;
  /** The kind of its primary objects: `tenants.example.com`. */
  readonly resource: string;
  /** State such as `leading`, or `degraded: …`. */
  readonly state: string;
  readonly queue?: QueueSnapshot | undefined;
}

/** An informer of the cache as listed by `/why`. */
export interface WhyInformer {
  /** The selection as text: `deployments.apps in default`. */
  readonly name: string;
  readonly objects: number;
  /** Bytes of the stored objects. */
  readonly bytes: number;
  /** State of the watch: `watching` while it is open. */
  readonly state: string;
  /** Time of the last byte from the API server, in milliseconds since 1970; undefined before the first one. */
  readonly lastByteAt?: number | undefined;
  /** Failed requests since the last successful one. */
  readonly failures: number;
  readonly error?: RecordedError | undefined;
}

/**
 * Returns the route `/why`, which shows as JSON what controllers do and why.
 *
 * `/why` lists all controllers with their queues, and the informers. `/why/tenants` shows one controller, and `/why/tenants/NAMESPACE/NAME`
 * (or only a name) the history of an object: why it was queued, how its reconciles ended, what they wrote.
 */
export function whyRoute(source: WhySource): Route {
  return { path: "/why", isLocal: true, respond: ({ rest }) => respond(source, rest) };
}

function respond(source: WhySource, [name, ...keyParts]: readonly string[]): RouteResponse {
  const controllers = source.controllers();
  if (name === undefined) {
    return jsonResponse(200, readable({ isLeading: source.isLeading(), controllers, informers: source.informers() }));
  }
  const controller = controllers.find((candidate) => candidate.name === name);
  if (controller === undefined) {
    const names = controllers.map((candidate) => candidate.name);
    return notFound(`Controller ${name} not found. Available controllers: ${names.join(", ") || "none"}.`);
  }
  if (keyParts.length === 0) return jsonResponse(200, readable(controller));
  const key = keyParts.join("/");
  if (keyParts.length > 2)
    return notFound(`${key} is not an object name; use /why/${name}/NAMESPACE/NAME or /why/${name}/NAME.`);
  const history = source.explain(name, key);
  if (history === undefined) {
    return notFound(
      `No history of ${key}: controller ${name} has not reconciled it since this process started, or the history was dropped.`,
    );
  }
  return jsonResponse(200, readable(history));
}

/** Returns the value with times and durations in readable form. */
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
