import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { detectProtocol } from "./detect-protocol.ts";

const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

describe("detectProtocol", () => {
  for (const [bytes, protocol] of [
    ["", "undecided"],
    ["P", "undecided"],
    ["PRI * HTTP/2.0\r\n", "undecided"],
    [preface, "http2"],
    [`${preface}\0\0`, "http2"],
    ["PRI * HTTP/2.0\r\n\r\nXX", "http1"],
    ["PUT / HTTP/1.1\r\n", "http1"],
    ["GET ", "http1"],
    ["GET", "undecided"],
    ["G", "undecided"],
    ["A".repeat(40), "http1"],
    ["\x16\x03\x01", "tcp"],
    ["*1\r\n$4\r\nPING\r\n", "tcp"],
    [" GET / HTTP/1.1\r\n", "tcp"],
    ["\r\nGET / HTTP/1.1\r\n", "tcp"],
    ["\0", "tcp"],
    ["GET\0/", "tcp"],
  ] as const) {
    it(`says ${protocol} for ${JSON.stringify(bytes)}`, () => {
      assert.equal(detectProtocol(Buffer.from(bytes, "latin1")), protocol);
    });
  }
});
