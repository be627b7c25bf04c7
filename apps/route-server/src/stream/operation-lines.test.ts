import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { tableOf } from "../testing/tables.ts";
import { OperationLines } from "./operation-lines.ts";

describe("OperationLines", () => {
  const table = tableOf("shop/cart");

  it("encodes the operation of a table once for all proxies", () => {
    const lines = new OperationLines();
    const line = lines.encode({ op: "REPLACE", table, version: 7 });

    assert.equal(line.toString(), `${JSON.stringify({ op: "REPLACE", table, version: 7 })}\n`);
    assert.equal(lines.encode({ op: "REPLACE", table, version: 7 }), line);
  });

  it("never returns the line of another operation, version or table", () => {
    const lines = new OperationLines();
    for (const operation of [
      { op: "ADD", table },
      { op: "REPLACE", table },
      { op: "REPLACE", table, version: 8 },
      { op: "REPLACE", table: tableOf("shop/cart", { version: "v2" }), version: 8 },
      { op: "REMOVE", table: { namespace: "shop", service: "cart" }, version: 9 },
      { op: "PING" },
    ] as const) {
      assert.deepEqual(JSON.parse(lines.encode(operation).toString()), operation);
    }
  });

  it("drops the oldest lines beyond its limit", () => {
    const first = { op: "ADD", table } as const;
    const size = new OperationLines().encode(first).length;
    const lines = new OperationLines({ bytesMax: size + 10 });
    const line = lines.encode(first);
    lines.encode({ op: "ADD", table: tableOf("shop/other") });

    assert.notEqual(lines.encode(first), line);
  });
});
