// Parsers of responses of components. The images belong to the user, so nothing in a response is trusted: its size and every field are checked,
// and a problem is a value, because it must not end the reconcile.

import { isRecord, JsonLimitError, ownValue, ParseError, parseBoundedJson } from "@homeostat/core";
import {
  type ComponentResult,
  type DrainView,
  drainStates,
  type QuorumView,
  type RestartCheckView,
  type Voter,
} from "./contract.ts";

/** Largest body of a response. A quorum of nine voters needs about one kilobyte. */
export const bodyBytesMax = 65_536;

/** Most voters in a response. A cluster has at most nine controllers; a few more may be left over from a change of members. */
export const votersMax = 32;

const incarnationPattern = /^[A-Za-z0-9._:-]{1,128}$/;
const reasonLengthMax = 256;

export type Parsed<Value> = Extract<
  ComponentResult<Value>,
  { readonly type: "response" } | { readonly type: "malformed" } | { readonly type: "contradiction" }
>;

type Fields = Readonly<Record<string, unknown>>;

/** Parses the response to `GET /quorum` of the member with the id `expectedId`. */
export function parseQuorum(body: string | Uint8Array, expectedId: number): Parsed<QuorumView> {
  return parseObject(body, (fields) => {
    const nodeId = ownValue(fields, "nodeId");
    const incarnation = ownValue(fields, "incarnation");
    const leaderId = ownValue(fields, "leaderId") ?? undefined;
    const term = ownValue(fields, "term");
    const entries = ownValue(fields, "voters");
    if (!isId(nodeId)) return malformed("nodeId is not a positive integer");
    if (!isIncarnation(incarnation)) return malformed("incarnation is not an identifier");
    if (leaderId !== undefined && !isId(leaderId)) return malformed("leaderId is not a positive integer");
    if (!isCount(term)) return malformed("term is not a non-negative integer");
    if (!Array.isArray(entries) || entries.length > votersMax)
      return malformed(`voters is not a list of at most ${votersMax} entries`);
    const voters: Voter[] = [];
    for (const [index, entry] of entries.entries()) {
      const voter = readVoter(entry);
      if (voter === undefined) return malformed(`voters[${index}] is not a voter`);
      voters.push(voter);
    }
    if (nodeId !== expectedId) return contradiction(`nodeId is ${nodeId}, but the pod has the id ${expectedId}`);
    if (new Set(voters.map(({ id }) => id)).size < voters.length) return contradiction("two voters have the same id");
    if (leaderId !== undefined && !voters.some(({ id }) => id === leaderId))
      return contradiction(`the leader ${leaderId} is not a voter`);
    return { type: "response", value: { nodeId, incarnation, leaderId, term, voters } };
  });
}

/** Parses the response to a request to `/drain`. */
export function parseDrain(body: string | Uint8Array): Parsed<DrainView> {
  return parseObject(body, (fields) => {
    const state = drainStates.find((one) => one === ownValue(fields, "state"));
    const partitions = ownValue(fields, "partitions");
    if (state === undefined) return malformed(`state is not one of ${drainStates.join(", ")}`);
    if (!isCount(partitions)) return malformed("partitions is not a non-negative integer");
    // The pod is removed when it reports that it is drained, so a report that contradicts itself must not count.
    if (state === "drained" && partitions > 0) return contradiction(`drained, but ${partitions} partitions are left`);
    return { type: "response", value: { state, partitions } };
  });
}

/** Parses the response to `GET /restart-check`. */
export function parseRestartCheck(body: string | Uint8Array): Parsed<RestartCheckView> {
  return parseObject(body, (fields) => {
    const safe = ownValue(fields, "safe");
    const reason = ownValue(fields, "reason") ?? "";
    if (typeof safe !== "boolean") return malformed("safe is not a boolean");
    if (typeof reason !== "string") return malformed("reason is not a string");
    return { type: "response", value: { safe, reason: printable(reason) } };
  });
}

/** Returns the leader named in a response with status 409; undefined if it names none. */
export function parseLeader(body: string | Uint8Array): number | undefined {
  const parsed = parseObject<number | undefined>(body, (fields) => {
    const leaderId = ownValue(fields, "leaderId");
    return { type: "response", value: isId(leaderId) ? leaderId : undefined };
  });
  return parsed.type === "response" ? parsed.value : undefined;
}

function parseObject<Value>(body: string | Uint8Array, read: (fields: Fields) => Parsed<Value>): Parsed<Value> {
  let value: unknown;
  try {
    value = parseBoundedJson(body, { what: "response", bytesMax: bodyBytesMax, depthMax: 4, valuesMax: 512 });
  } catch (error) {
    if (error instanceof JsonLimitError) return malformed("the document is too large");
    if (error instanceof ParseError) return malformed("the body is not JSON");
    throw error;
  }
  return isRecord(value) ? read(value) : malformed("the body is not a JSON object");
}

function readVoter(entry: unknown): Voter | undefined {
  if (!isRecord(entry)) return undefined;
  const id = ownValue(entry, "id");
  const incarnation = ownValue(entry, "incarnation");
  const caughtUp = ownValue(entry, "caughtUp");
  if (!isId(id) || !isIncarnation(incarnation) || typeof caughtUp !== "boolean") return undefined;
  return { id, incarnation, caughtUp };
}

function isId(value: unknown): value is number {
  return isCount(value) && value >= 1 && value <= 2 ** 31 - 1;
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function isIncarnation(value: unknown): value is string {
  return typeof value === "string" && incarnationPattern.test(value);
}

/** Returns a text for a status message: without control characters, and cut. */
function printable(text: string): string {
  return text
    .slice(0, reasonLengthMax)
    .replaceAll(/\p{C}+/gu, " ")
    .trim();
}

function malformed(message: string): { readonly type: "malformed"; readonly message: string } {
  return { type: "malformed", message };
}

function contradiction(message: string): { readonly type: "contradiction"; readonly message: string } {
  return { type: "contradiction", message };
}
