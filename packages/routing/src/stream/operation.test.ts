import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseOperation, type ReceivedOperation } from "./operation.ts";

const cases: readonly [line: string, operation: ReceivedOperation | undefined][] = [
  ['{"op":"ADD","table":{"a":1}}', { op: "ADD", version: undefined, table: { a: 1 } }],
  ['{"op":"REPLACE","version":7,"table":{}}', { op: "REPLACE", version: 7, table: {} }],
  [
    '{"op":"REMOVE","version":8,"table":{"namespace":"shop","service":"cart","x":1}}',
    { op: "REMOVE", version: 8, table: { namespace: "shop", service: "cart" } },
  ],
  ['{"op":"CONFIG","routing":{"keyNames":["k"]}}', { op: "CONFIG", routing: { keyNames: ["k"] } }],
  ['{"op":"SYNCED","version":3,"epoch":"e","snapshot":true}', { op: "SYNCED", version: 3, epoch: "e", snapshot: true }],
  ['{"op":"PING"}', { op: "PING", version: undefined }],
  ['{"op":"PING","version":0}', { op: "PING", version: 0 }],
  ['{"op":"END","reason":"TokenExpired","message":"m"}', { op: "END", reason: "TokenExpired", message: "m" }],
  ['{"op":"END"}', undefined],
  ['{"op":"PAUSE","seconds":3}', { op: "UNKNOWN", name: "PAUSE" }],
  ["", undefined],
  ["{", undefined],
  ["[]", undefined],
  ["null", undefined],
  ['{"op":1}', undefined],
  ['{"op":"ADD"}', undefined],
  ['{"op":"ADD","table":[]}', undefined],
  ['{"op":"ADD","version":-1,"table":{}}', undefined],
  ['{"op":"ADD","version":1.5,"table":{}}', undefined],
  ['{"op":"ADD","version":"1","table":{}}', undefined],
  ['{"op":"REMOVE","table":{"namespace":"shop"}}', undefined],
  ['{"op":"CONFIG"}', undefined],
  ['{"op":"SYNCED","version":3,"snapshot":true}', undefined],
  ['{"op":"SYNCED","epoch":"e","snapshot":true}', undefined],
  ['{"op":"SYNCED","version":3,"epoch":"e"}', undefined],
];

describe("parseOperation", () => {
  for (const [line, operation] of cases) {
    const result = operation === undefined ? "refuses" : `reads ${operation.op} from`;
    it(`${result} ${line === "" ? "an empty line" : line}`, () => assert.deepEqual(parseOperation(line), operation));
  }
});
