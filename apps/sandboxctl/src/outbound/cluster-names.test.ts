import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { destinationOf, serviceOf } from "./cluster-names.ts";

describe("names of the cluster", () => {
  const names = { namespace: "shop", isKnown: (name: string) => name === "bank" };
  const cases: readonly (readonly [host: string, destination: string | undefined])[] = [
    ["orders", "orders.shop.svc:80"],
    ["orders.bank", "orders.bank.svc:80"],
    ["orders.other.svc", "orders.other.svc:80"],
    ["Orders.Other.SVC.cluster.local.", "orders.other.svc:80"],
    ["example.com", undefined],
    ["www.example.com", undefined],
    ["localhost", undefined],
    ["10.0.0.1", undefined],
    ["::1", undefined],
    ["", undefined],
    ["-x.y.svc", undefined],
  ];
  for (const [host, destination] of cases) {
    it(`lead "${host}" ${destination === undefined ? "out of this machine" : "into the cluster"}`, () => {
      const service = serviceOf(host, 80, names);
      assert.equal(service && destinationOf(service), destination);
    });
  }
});
