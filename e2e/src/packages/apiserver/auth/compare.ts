import assert from "node:assert/strict";
import { Refusal } from "@homeostat/apiserver/internal";
import { plain, type ApiResponse } from "./server.ts";

/** Fails unless both responses are equal, except for managed fields, times and random values. */
export function assertSame(ours: unknown, { status, body }: ApiResponse, label: string): void {
  if (ours instanceof Refusal) {
    assert.deepEqual(inOrder(ours.status), inOrder(body), label);
    assert.equal(ours.status.code, status, label);
  } else assert.deepEqual(plain(ours), plain(body), label);
}

function inOrder(status: unknown): unknown {
  return JSON.parse(JSON.stringify(status), (key, value: unknown) => {
    return key === "message" ? sorted(String(value).replace(/,?"managedFields":\[.*?\}\]/, "")) : value;
  });
}

/** Sorts a list of missing roles in a message: the server reads bindings in random order. */
export function sorted(text: unknown): unknown {
  if (typeof text !== "string") return text;
  return text.replace(/\[([^[\]]* not found)\]/, (_, list: string) => `[${list.split(", ").sort().join(", ")}]`);
}
