import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { defaultAuditLimits, type LostKeys, PropagationAudit, type SeenRequest } from "./propagation-audit.ts";

const key = "k3v9q2m7x1c4d";

function seen(service: string, at: number, change: Partial<SeenRequest> = {}): SeenRequest {
  return { traceId: "t1", namespace: "shop", service, key: undefined, caller: undefined, at, ...change };
}

function hops(audit: PropagationAudit, now = 1_000): string[] {
  return audit.lost(now).map(({ from, to, count }) => `${from} -> ${to}: ${count}`);
}

describe("PropagationAudit", () => {
  it("finds the Service that calls another one without the key", () => {
    const audit = new PropagationAudit();
    audit.add(seen("cart", 100, { key }));
    audit.add(seen("payments", 110));

    assert.deepEqual(hops(audit), ["cart -> payments: 1"]);
    assert.deepEqual(audit.lost(1_000)[0]?.samples, ["t1"]);
    assert.deepEqual([...(audit.lost(1_000)[0]?.keys ?? [])], [key]);
  });

  it("finds it in whatever order reports arrive, and counts it once", () => {
    const audit = new PropagationAudit();
    audit.add(seen("payments", 110));
    audit.add(seen("cart", 100, { key }));
    audit.add(seen("front", 90, { key }));

    assert.deepEqual(hops(audit), ["cart -> payments: 1"]);
  });

  it("trusts the address of the client more than the order", () => {
    const audit = new PropagationAudit();
    audit.add(seen("front", 90, { key }));
    audit.add(seen("cart", 100, { key }));
    audit.add(seen("payments", 110, { caller: "front" }));
    audit.add(seen("stock", 120, { caller: "unseen" }));

    assert.deepEqual(hops(audit), ["front -> payments: 1"]);
  });

  it("finds a loss of which another replica has seen the request with the key", () => {
    const remote = seen("cart", 100, { key, isRemote: true });
    const request = seen("payments", 90, { caller: "cart" });
    for (const order of [
      [remote, remote, request],
      [request, remote, remote],
    ]) {
      const audit = new PropagationAudit();
      for (const each of order) audit.add(each);
      assert.deepEqual(hops(audit), ["cart -> payments: 1"]);
    }
  });

  it("finds no loss by a request of another replica if the client is not known, or its clock is too far off", () => {
    for (const requests of [
      [seen("cart", 100, { key, isRemote: true }), seen("payments", 110)],
      [
        seen("cart", 100 + defaultAuditLimits.skewMs, { key, isRemote: true }),
        seen("payments", 100, { caller: "cart" }),
      ],
      [seen("front", 100, { key, isRemote: true }), seen("payments", 110, { caller: "cart" })],
    ]) {
      const audit = new PropagationAudit();
      for (const request of requests) audit.add(request);
      assert.deepEqual(hops(audit), []);
    }
  });

  it("shows the newest of its own requests with a key, and none of other replicas", () => {
    const audit = new PropagationAudit();
    for (const at of [100, 300, 200]) audit.add(seen("cart", at, { key, traceId: `t${at}` }));
    audit.add(seen("cart", 400, { key, traceId: "t4", isRemote: true }));
    audit.add(seen("payments", 400, { traceId: "t5" }));

    const shown = audit.keyedRequests({ sinceMs: 101, max: 1 });
    assert.deepEqual([...shown], [["shop/cart", [{ traceId: "t300", key, at: 300 }]]]);
    assert.equal(audit.keyedRequests({ sinceMs: 101, max: 5 }).get("shop/cart")?.length, 2);
  });

  it("finds nothing without a loss", () => {
    for (const requests of [
      [seen("cart", 100, { key }), seen("payments", 110, { key })],
      [seen("front", 90), seen("cart", 100, { key })],
      [seen("cart", 100, { key }), seen("cart", 110)],
      [seen("cart", 100, { key }), seen("payments", 110, { traceId: "t2" })],
      [seen("cart", 100, { key }), seen("stock", 105, { key: "other-key" }), seen("payments", 110)],
      [seen("cart", 100, { key }), seen("payments", 100 + defaultAuditLimits.traceMs)],
    ]) {
      const audit = new PropagationAudit();
      for (const request of requests) audit.add(request);
      assert.deepEqual(hops(audit), []);
    }
  });

  it("forgets a loss that was not seen for an hour", () => {
    const audit = new PropagationAudit();
    audit.add(seen("cart", 100, { key }));
    audit.add(seen("payments", 110));
    assert.equal(audit.lost(110 + defaultAuditLimits.lossMs - 1).length, 1);
    assert.equal(audit.lost(110 + defaultAuditLimits.lossMs).length, 0);
  });

  it("keeps as many traces, requests and hops as its limits allow, at, below and above them", () => {
    const limits = { ...defaultAuditLimits, tracesMax: 3, requestsMax: 4, hopsMax: 2 };
    for (const [traces, kept] of [
      [2, 2],
      [3, 3],
      [4, 3],
    ] as const) {
      const audit = new PropagationAudit({ limits });
      for (let index = 0; index < traces; index += 1) audit.add(seen("cart", index, { traceId: `t${index}` }));
      assert.equal(audit.size, kept);
    }
    const lost: LostKeys[] = [];
    const audit = new PropagationAudit({ limits, onLost: (each) => lost.push(each) });
    audit.add(seen("cart", 100, { key }));
    for (const to of ["a", "b", "c", "d"]) audit.add(seen(to, 110));
    // The fifth request of the trace exceeds the limit.
    assert.equal(lost.length, 3);
    assert.equal(audit.lost(1_000).length, 2);
  });

  it("does not let traffic without keys push traces with keys out", () => {
    const audit = new PropagationAudit({ limits: { ...defaultAuditLimits, tracesMax: 10 } });
    audit.add(seen("cart", 100, { key }));
    for (let index = 0; index < 100; index += 1) audit.add(seen("stock", 105, { traceId: `other-${index}` }));
    audit.add(seen("payments", 110));
    assert.deepEqual(hops(audit), ["cart -> payments: 1"]);
    assert.equal(audit.size, 11);
  });
});
