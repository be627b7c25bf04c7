import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { KeyReader } from "../key/key-reader.ts";
import type { RoutingErrorReason } from "../key/key-steps.ts";
import { baggageCorpus, type HeaderCase, tracestateCorpus } from "./index.ts";

const keys = new KeyReader({ role: "takeover" });

/** Reads the key of a request with one header. */
function read(headerName: string, { header, traceparent }: HeaderCase): [string | undefined, RoutingErrorReason[]] {
  const counted: RoutingErrorReason[] = [];
  const headers = new Map<string, string | readonly string[]>([[headerName, header]]);
  if (traceparent !== undefined) headers.set("traceparent", traceparent);
  const found = keys.read({ method: "GET", path: "/", headers }, { count: (reason) => counted.push(reason) });
  return [found?.key, counted];
}

describe("the key in baggage", () => {
  it("has at least 60 examples", () => assert.ok(baggageCorpus.length >= 60));

  for (const each of baggageCorpus) {
    it(each.name, () => assert.deepEqual(read("baggage", each), [each.key, each.counted ?? []]));
  }
});

describe("the key in tracestate", () => {
  it("has at least 30 examples", () => assert.ok(tracestateCorpus.length >= 30));

  for (const each of tracestateCorpus) {
    it(each.name, () => assert.deepEqual(read("tracestate", each), [each.key, each.counted ?? []]));
  }
});
