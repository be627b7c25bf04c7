import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ProtocolError } from "../errors.ts";
import { formatMessage, type Hello, parseMessage } from "./messages.ts";

const hello: Hello = {
  t: "hello",
  v: 1,
  client: "0.1.0",
  host: "laptop",
  workload: "shop/jane-orders",
  uid: "5c1f6a0e",
  key: "A".repeat(43),
  sig: "B".repeat(86),
  resume: "",
  takeover: false,
};

describe("messages", () => {
  it("are read as they were written", () => {
    assert.deepEqual(parseMessage(formatMessage(hello).toString().trimEnd(), ["hello"]), hello);
  });

  it("may have fields of a newer version", () => {
    const line = JSON.stringify({ ...hello, color: "green" });

    assert.equal(parseMessage(line, ["hello"]).host, "laptop");
  });

  for (const [name, line, problem] of [
    ["text", "hello", /not JSON/],
    ["a list", "[]", /not a JSON object/],
    ["null", "null", /not a JSON object/],
    ["deep nesting", `{"t":"hello","x":${"[".repeat(50)}${"]".repeat(50)}}`, /nested too deeply/],
    ["another message", '{"t":"in","port":"http","src":"1.2.3.4:5"}', /expected a message of type hello or refuse/],
    ["a message without a type", "{}", /expected a message of type/],
    ["an inherited name as type", '{"t":"constructor"}', /expected a message of type/],
    ["missing fields", '{"t":"refuse"}', /fields reason, detail, retry of the message refuse/],
    ["a field of another type", '{"t":"refuse","reason":"Busy","detail":"","retry":"yes"}', /fields retry of/],
  ] as const) {
    it(`refuse ${name}`, () => {
      assert.throws(
        () => parseMessage(line, ["hello", "refuse"]),
        (error) => error instanceof ProtocolError && problem.test(error.message),
      );
    });
  }

  it("are not written above the length that a peer reads", () => {
    assert.throws(() => formatMessage({ ...hello, host: "x".repeat(2_000) }), ProtocolError);
  });
});
