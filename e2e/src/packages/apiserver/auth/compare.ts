import assert from "node:assert/strict";
import { Refusal } from "@homeostat/apiserver";
import { plain, type Reply } from "./server.ts";

/** Fails unless our answer is that of the server, up to what belongs to others (managed fields, times) and to chance. */
export function assertSame(ours: unknown, { status, body }: Reply, label: string): void {
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

/** A text that lists missing roles, in an order of its own: the server takes bindings in none. */
export function sorted(text: unknown): unknown {
  if (typeof text !== "string") return text;
  return text.replace(/\[([^[\]]* not found)\]/, (_, list: string) => `[${list.split(", ").sort().join(", ")}]`);
}
