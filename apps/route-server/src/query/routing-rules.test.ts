import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { tableOf } from "../testing/tables.ts";
import { readExplainRequest } from "./explain-request.ts";
import { readRulesRequest, routingRules } from "./routing-rules.ts";

const tables = [tableOf("shop/orders"), tableOf("shop/cart"), tableOf("bank/cart")];

function rules(query: string): readonly string[] {
  const read = readRulesRequest(new URLSearchParams(query));
  if ("refused" in read) return [`${read.refused.status} ${JSON.stringify(read.refused.body)}`];
  return routingRules(tables, read.request.filter).map(({ baseline }) => `${baseline.namespace}/${baseline.name}`);
}

describe("routingRules", () => {
  it("selects by all filters", () => {
    assert.deepEqual(rules(""), ["bank/cart", "shop/cart", "shop/orders"]);
    assert.deepEqual(rules("baselineKind=Service&baselineNamespace=shop&baselineName=cart"), ["shop/cart"]);
    assert.deepEqual(rules("routingKey=key-1&destinationSandboxName=pr-1&baselineNamespace=bank"), ["bank/cart"]);
    assert.deepEqual(rules("routingKey=key-2"), []);
  });

  it("refuses unknown filters and kinds", () => {
    const [text = ""] = rules("baselineKind=Deployment&colour=red&watch=maybe");
    assert.match(text, /^400 .*colour.*baselineKind.*watch/);
  });

  it("lists the destinations of each port", () => {
    const filter = {
      baselineNamespace: "bank",
      baselineName: undefined,
      routingKey: undefined,
      destinationSandboxName: undefined,
    };
    assert.deepEqual(routingRules(tables, filter), [
      {
        routingKey: "key-1",
        baseline: { kind: "Service", namespace: "bank", name: "cart" },
        destinationSandbox: { name: "pr-1" },
        mappings: [{ workloadPort: 80, destinations: [{ host: "pr-1-cart.bank.svc", port: 80 }] }],
      },
    ]);
  });
});

describe("readExplainRequest", () => {
  it("reports all problems", () => {
    const read = readExplainRequest({ port: 0, method: 7, path: "x", headers: { a: 1 } });
    const text = "refused" in read ? JSON.stringify(read.refused) : "";
    for (const part of ["namespace must", "service must", "port must", "method must", "path must", "headers.a must"]) {
      assert.ok(text.includes(part), part);
    }
  });
});
