// Answers without what differs from run to run.

import { isRecord, type JsonRecord } from "@homeostat/core";

const madeUp = ["uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "selfLink"];

/**
 * An answer in a certain order, without what only a server adds.
 *
 * The problems of a definition are found in the random order of Go's maps, so they are compared in the order of their texts.
 */
export function comparable(body: unknown): unknown {
  if (!isRecord(body)) return body;
  if (body["kind"] === "Status") return comparableStatus(body);
  const metadata = isRecord(body["metadata"]) ? body["metadata"] : {};
  const kept = Object.fromEntries(Object.entries(metadata).filter(([name]) => !madeUp.includes(name)));
  return ordered({ ...body, metadata: kept });
}

function comparableStatus(status: JsonRecord): unknown {
  const details = isRecord(status["details"]) ? status["details"] : {};
  const causes = Array.isArray(details["causes"]) ? details["causes"].map((each) => JSON.stringify(ordered(each))) : [];
  const message = String(status["message"]);
  // The message lists what the causes list; its head and its length say whether it is the same.
  const head = causes.length > 1 ? `${message.slice(0, message.indexOf(": ["))} ${message.length}` : message;
  return ordered({ ...status, message: head, details: { ...details, causes: causes.toSorted() } });
}

/** Keys sorted, `undefined` left out. */
export function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (!isRecord(value)) return value;
  const keys = Object.keys(value).toSorted();
  return Object.fromEntries(keys.filter((key) => value[key] !== undefined).map((key) => [key, ordered(value[key])]));
}

/** The texts of `Warning` headers, each once. */
export function plainWarnings(headers: readonly string[]): string[] {
  const texts = headers.map((header) => header.replace(/^299 - "(.*)"$/s, (_, text: string) => unquote(text)));
  return [...new Set(texts)].toSorted();
}

function unquote(text: string): string {
  return text.replace(/\\(.)/g, "$1");
}
