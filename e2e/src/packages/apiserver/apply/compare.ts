// Runs one sequence of writes on both servers, and shrinks a sequence that shows a difference.

import { isDeepStrictEqual } from "node:util";
import { isRecord, type JsonRecord } from "@homeostat/core";
import type { ApiResponse, Client } from "./client.ts";
import type { Model, Outcome } from "./model.ts";
import type { Operation } from "./operations.ts";

/** A resource of the real server and its model. */
export interface Subject {
  readonly client: Client;
  /** Returns the path of the collection in a version. */
  readonly collection: (version: string) => string;
  readonly typeMeta: (version: string) => JsonRecord;
  readonly model: () => Model;
}

/** The first difference of a sequence. */
export interface Difference {
  readonly at: number;
  readonly real: unknown;
  readonly ours: unknown;
  /** Response of the real server to that write. */
  readonly response: string;
}

let objects = 0;
/** Number of compared writes. */
export const counted = { operations: 0, accepted: 0, conflicts: 0, refused: 0 };

/** Runs a sequence on a new object. Returns the first difference. */
export async function run(subject: Subject, operations: readonly Operation[]): Promise<Difference | undefined> {
  const [first] = operations;
  // Shrinking may have removed the write that creates the object.
  if (first === undefined || first.subresource !== "" || (first.verb !== "create" && first.verb !== "apply"))
    return undefined;
  const name = `o${(objects += 1)}`;
  const model = subject.model();
  let version = "";
  for (const [at, operation] of operations.entries()) {
    const response = await send(subject, operation, name, version);
    if (response === undefined) return undefined;
    const isStored = response.status < 300;
    if (isStored) version = String(metadataOf(response.body)["resourceVersion"]);
    const { real, now } = normal(response);
    if (isStored) model.now = now;
    const ours = shownOutcome(model.do(operation, name));
    counted.operations += 1;
    if (isStored) counted.accepted += 1;
    else if (response.status === 409) counted.conflicts += 1;
    else counted.refused += 1;
    // A write with two managers reads the clock twice; if the second changes in between, the sequence cannot continue.
    if (!isSame(real, ours) && isSame(timeless(real), timeless(ours))) return undefined;
    if (!isSame(real, ours)) return { at, real, ours, response: String(response.body["message"]) };
    if (!isStored && at === 0) return undefined;
  }
  return undefined;
}

async function send(
  subject: Subject,
  operation: Operation,
  name: string,
  version: string,
): Promise<ApiResponse | undefined> {
  const { client } = subject;
  const { verb, manager, subresource, force } = operation;
  const collection = subject.collection(operation.version);
  const object = `${collection}/${name}${subresource === "" ? "" : `/${subresource}`}`;
  const by = `fieldManager=${manager}`;
  const metadata = isRecord(operation.body["metadata"]) ? operation.body["metadata"] : {};
  const identity = { ...metadata, name, namespace: "default" };
  const body = { ...operation.body, ...subject.typeMeta(operation.version), metadata: identity };
  switch (verb) {
    case "create":
      return client.send({ method: "POST", path: `${collection}?${by}`, body });
    case "update": {
      const withVersion = { ...body, metadata: { ...identity, resourceVersion: version } };
      return client.send({ method: "PUT", path: `${object}?${by}`, body: withVersion });
    }
    case "merge":
      return client.send({
        method: "PATCH",
        path: `${object}?${by}`,
        body: operation.body,
        contentType: "application/merge-patch+json",
      });
    case "apply":
      return client.send({
        method: "PATCH",
        path: `${object}?${by}&force=${force}`,
        body,
        contentType: "application/apply-patch+yaml",
      });
  }
}

function metadataOf(object: JsonRecord): JsonRecord {
  return isRecord(object["metadata"]) ? object["metadata"] : {};
}

function latestTime(object: JsonRecord): number {
  const entries = metadataOf(object)["managedFields"];
  if (!Array.isArray(entries)) return 0;
  return Math.max(0, ...entries.map((entry: JsonRecord) => Date.parse(String(entry["time"])) || 0));
}

/** Returns a response in its compared form, and the time of the latest write in it. */
export function normal(response: ApiResponse): { real: unknown; now: number } {
  if (response.status < 300) return { real: { object: plainObject(response.body) }, now: latestTime(response.body) };
  return { real: { failure: failureOf(response) }, now: 0 };
}

/** Returns an object without server-generated values. */
function plainObject(object: JsonRecord): JsonRecord {
  const { uid: _, resourceVersion: __, creationTimestamp: ___, generation: ____, ...metadata } = metadataOf(object);
  return plain({ ...object, metadata });
}

function plain(value: JsonRecord): JsonRecord {
  return JSON.parse(JSON.stringify(value)) as JsonRecord;
}

function failureOf({ status, body }: ApiResponse): unknown {
  // Messages of validation are compared in another suite.
  if (status === 422) return { code: 422 };
  const details = isRecord(body["details"]) ? body["details"] : {};
  return shownFailure(status, body["reason"] ?? "", body["message"], details["causes"] ?? []);
}

/** Returns the result of a write to the model in the same form. */
export function shownOutcome(outcome: Outcome): unknown {
  if ("object" in outcome) return { object: plainObject(outcome.object) };
  const { code, reason, message, causes } = outcome.failure;
  return { failure: (code as number) === 422 ? { code } : shownFailure(code, reason, message, causes) };
}

function shownFailure(code: number, reason: unknown, message: unknown, causes: unknown): Failure {
  const sorted = Array.isArray(causes)
    ? causes.map((cause) => JSON.stringify(cause, ["reason", "message", "field"]))
    : [];
  return { code, reason, message: sortedLines(String(message)), causes: sorted.sort() };
}

interface Failure {
  readonly code: number;
  readonly reason: unknown;
  readonly message: string;
  readonly causes: readonly string[];
}

/** Sorts errors: the real server iterates maps in random order. */
function sortedLines(message: string): string {
  const [head = "", ...lines] = message.split("\n");
  return head.endsWith(" errors:") ? [head, ...lines.sort()].join("\n") : message;
}

/** Returns the same with times of managers in whole minutes. */
function timeless(outcome: unknown): unknown {
  return JSON.parse(
    JSON.stringify(outcome).replace(
      /"time":"([^"]+)"/g,
      (_, time: string) => `"time":${Math.round(Date.parse(time) / 60_000)}`,
    ),
  );
}

function isSame(real: unknown, ours: unknown): boolean {
  if (isDeepStrictEqual(real, ours)) return true;
  const messages = [real, ours].map((outcome) => {
    const failure = isRecord(outcome) && isRecord(outcome["failure"]) ? outcome["failure"] : {};
    return typeof failure["message"] === "string" ? failure["message"] : "";
  });
  // The real server also stops at the first unknown field of a map, so the other errors depend on the iteration order.
  const heads = messages.map((message) => message.slice(0, message.indexOf("): ")));
  const isRandomOrder = messages.some((message) => message.includes("field not declared in schema"));
  return (
    isRandomOrder && heads[0] !== "" && heads[0] === heads[1] && messages.some((message) => message.includes("errors:"))
  );
}

/** Returns the shortest sequence found that still shows a difference. */
export async function shrink(subject: Subject, operations: readonly Operation[], tries: number): Promise<Operation[]> {
  let shortest = [...operations];
  let left = tries;
  let isShorter = true;
  while (isShorter && left > 0) {
    isShorter = false;
    for (let at = shortest.length - 2; at >= 0 && left > 0; at -= 1) {
      left -= 1;
      const candidate = shortest.filter((_, index) => index !== at);
      const difference = await run(subject, candidate);
      if (difference === undefined) continue;
      shortest = candidate.slice(0, difference.at + 1);
      isShorter = true;
      at = Math.min(at, shortest.length);
    }
  }
  return shortest;
}

/** Returns the differences of two values, one line each. */
export function differences(real: unknown, ours: unknown, path = ""): string[] {
  if (isDeepStrictEqual(real, ours)) return [];
  if (!isTree(real) || !isTree(ours) || Array.isArray(real) !== Array.isArray(ours)) {
    return [`${path}: real ${JSON.stringify(real)}, ours ${JSON.stringify(ours)}`];
  }
  const keys = new Set([...Object.keys(real), ...Object.keys(ours)]);
  return [...keys].flatMap((key) => differences(real[key], ours[key], `${path}/${key}`));
}

function isTree(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null;
}
