import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatHead, parseHead } from "./inject-key.ts";

describe("a request head", () => {
  const head = (text: string) => {
    const parsed = parseHead(Buffer.from(text));
    assert.ok(parsed !== undefined && parsed !== "invalid");
    return parsed;
  };

  it("gets the key, keeps the body and has a connection of its own", () => {
    const parsed = head(
      "POST http://a/x HTTP/1.1\r\nHost: a\r\nConnection: keep-alive\r\nProxy-Authorization: x\r\n\r\nbody",
    );

    const text = formatHead(parsed, { target: "/x", routingKey: "k1" }).toString();

    assert.equal(
      text,
      "POST /x HTTP/1.1\r\nHost: a\r\nbaggage: routing-key=k1\r\nx-routing-key: k1\r\nConnection: close\r\n\r\n",
    );
    assert.equal(parsed.rest.toString(), "body");
  });

  it("keeps a key that it has, and joins baggage", () => {
    const own = formatHead(head("GET / HTTP/1.1\r\nX-Routing-Key: own\r\n\r\n"), { target: "/", routingKey: "k1" });
    assert.doesNotMatch(own.toString(), /k1/);

    const joined = formatHead(head("GET / HTTP/1.1\r\nBaggage: a=b\r\n\r\n"), { target: "/", routingKey: "k1" });
    assert.match(joined.toString(), /Baggage: a=b,routing-key=k1\r\n/);
  });

  it("keeps the connection of an upgrade", () => {
    const text = formatHead(head("GET / HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"), {
      target: "/",
      routingKey: "k",
    }).toString();
    assert.match(text, /\r\nConnection: Upgrade\r\n\r\n$/);
  });

  for (const text of [
    "\x16\x03\x01",
    "PRI * HTTP/2.0\r\n\r\n",
    "GET / HTTP/1.1\r\n folded: x\r\n\r\n",
    "get /\r\n\r\n",
  ]) {
    it(`is not ${JSON.stringify(text)}`, () => {
      assert.equal(parseHead(Buffer.from(text, "latin1")), "invalid");
    });
  }

  it("is awaited until it is complete, but not without end", () => {
    assert.equal(parseHead(Buffer.from("GET / HTTP/1.1\r\nA: b\r\n")), undefined);
    assert.equal(parseHead(Buffer.from(`GET /${"x".repeat(70_000)}`)), "invalid");
  });
});
