import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readAckRequest, readStreamRequest } from "./stream-request.ts";

const shop = { namespace: "shop", serviceAccount: "proxy" };
const system = { namespace: "sandbox-system", serviceAccount: "gateway" };

function read(query: string, identity = shop) {
  return readStreamRequest(new URLSearchParams(query), identity, "sandbox-system");
}

function refusalOf(result: ReturnType<typeof read> | ReturnType<typeof readAckRequest>): string {
  return "refused" in result ? `${result.refused.status} ${JSON.stringify(result.refused.body)}` : "accepted";
}

describe("readStreamRequest", () => {
  it("uses the namespace of the token", () => {
    assert.deepEqual(read("role=takeover&proxy=p-1&services=cart,orders&from=abc.7"), {
      request: {
        proxy: "p-1",
        filter: { namespace: "shop", role: "takeover", services: new Set(["cart", "orders"]) },
        from: { epoch: "abc", version: 7 },
      },
    });
  });

  it("refuses another namespace, also to gateways outside of the system namespace", () => {
    assert.match(
      refusalOf(read("role=takeover&proxy=p&namespace=bank")),
      /^403 .*belongs to namespace shop.*namespace bank/,
    );
    assert.match(refusalOf(read("role=gateway&proxy=p&namespace=bank")), /^403/);
    assert.match(refusalOf(read("role=takeover&proxy=p&namespace=bank", system)), /^403/);
    assert.equal(refusalOf(read("role=gateway&proxy=p&namespace=bank", system)), "accepted");
  });

  it("lets gateways of the system namespace follow all namespaces", () => {
    const result = read("role=gateway&proxy=p", system);
    assert.equal("request" in result && result.request.filter.namespace, undefined);
    const own = read("role=gateway&proxy=p");
    assert.equal("request" in own && own.request.filter.namespace, "shop");
  });

  it("reports all problems at once", () => {
    const text = refusalOf(read("role=king&proxy=%20&services=A_B&from=x&colour=red&namespace=A"));
    assert.match(text, /^400/);
    for (const part of [
      "role must be",
      "proxy must be",
      "services contains",
      "from must be",
      "colour is not",
      "namespace ",
    ]) {
      assert.ok(text.includes(part), part);
    }
  });
});

describe("readAckRequest", () => {
  it("reads a confirmation with errors", () => {
    const result = readAckRequest({ proxy: "p", version: 3, errors: [{ service: "cart", message: "bad" }] });
    assert.deepEqual(result, {
      request: {
        proxy: "p",
        version: 3,
        epoch: undefined,
        errors: [{ namespace: undefined, service: "cart", message: "bad" }],
        uses: [],
      },
    });
  });

  it("refuses other bodies", () => {
    for (const value of [
      [],
      "x",
      {},
      { proxy: "p" },
      { proxy: "p", version: -1 },
      { proxy: "p", version: 1, errors: [1] },
      { proxy: "p", version: 1, uses: [{ id: "a", count: 0, lastUsedAt: "2030-01-01T00:00:00Z" }] },
      { proxy: "p", version: 1, uses: [{ id: "a", count: 1, lastUsedAt: "now" }] },
    ]) {
      assert.match(refusalOf(readAckRequest(value)), /^400/);
    }
  });
});
