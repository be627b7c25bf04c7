import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { applyMergePatch, isRecord } from "@homeostat/core";
import type { Service } from "@homeostat/kubernetes/core/v1";
import { annotations } from "../api/identity.ts";
import { buildBaseService } from "./base-service.ts";
import { allocatePorts, versionWithPorts } from "./listen-ports.ts";
import { proxySelector, restorePatch, takeoverPatch, takeoverState } from "./taken-over-service.ts";

const ports = { "80": 21_000, "9000": 21_001 };

const cart: Service = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "cart", namespace: "shop", uid: "u1", resourceVersion: "7", annotations: { team: "a" } },
  spec: {
    selector: { app: "cart", tier: "web" },
    ports: [
      { name: "http", port: 80, targetPort: "http", nodePort: 30_080 },
      { name: "grpc", port: 9000 },
    ],
  },
};

/** Applies a patch as the API server does. */
function patched(service: Service, patch: object | undefined): Service {
  assert.ok(patch !== undefined);
  const result = applyMergePatch({ ...service }, { ...patch });
  assert.ok(isService(result));
  return result;
}

function isService(value: unknown): value is Service {
  return isRecord(value) && value["kind"] === "Service";
}

const takenOver = patched(cart, takeoverPatch(cart, { ports }));

describe("the write that takes a Service over", () => {
  it("contains the record of the original, the selector and the target ports", () => {
    assert.deepEqual(takenOver.spec?.selector, proxySelector);
    assert.deepEqual(
      takenOver.spec?.ports?.map(({ targetPort }) => targetPort),
      [21_000, 21_001],
    );
    assert.equal(takenOver.spec?.ports?.[0]?.nodePort, 30_080);
    assert.deepEqual(JSON.parse(takenOver.metadata.annotations?.[annotations.original] ?? ""), {
      selector: { app: "cart", tier: "web" },
      targetPorts: { "80": "http", "9000": 9000 },
    });
    assert.equal(takenOver.metadata.annotations?.["team"], "a");
    assert.equal(takeoverPatch(cart, { ports })?.metadata?.resourceVersion, "7");
  });

  it("keeps the record of the original when a port is added", () => {
    const more = structuredClone(takenOver);
    more.spec?.ports?.push({ name: "admin", port: 8000, targetPort: "admin" });
    assert.equal(takeoverState(more, ports), "incomplete");

    const all = patched(more, takeoverPatch(more, { ports: { ...ports, "8000": 21_002 } }));

    assert.equal(takeoverState(all, { ...ports, "8000": 21_002 }), "takenOver");
    assert.deepEqual(JSON.parse(all.metadata.annotations?.[annotations.original] ?? ""), {
      selector: { app: "cart", tier: "web" },
      targetPorts: { "80": "http", "9000": 9000, "8000": "admin" },
    });
  });

  it("records the selector that another client has set", () => {
    const moved = patched(takenOver, { spec: { selector: { ...cleared(takenOver), app: "cart-v2" } } });
    assert.equal(takeoverState(moved, ports), "reverted");

    const again = patched(moved, takeoverPatch(moved, { ports }));

    assert.deepEqual(JSON.parse(again.metadata.annotations?.[annotations.original] ?? ""), {
      selector: { app: "cart-v2" },
      targetPorts: { "80": "http", "9000": 9000 },
    });
  });
});

describe("the write that restores a Service", () => {
  it("undoes the takeover", () => {
    const restored = patched(takenOver, restorePatch(takenOver));

    // The API server sets the default of a target port, so that both mean the same.
    assert.deepEqual(restored.spec?.ports, [cart.spec?.ports?.[0], { name: "grpc", port: 9000, targetPort: 9000 }]);
    assert.deepEqual(restored.spec?.selector, cart.spec?.selector);
    assert.deepEqual(restored.metadata.annotations, { team: "a" });
  });

  it("records for how long the Service must not be taken over", () => {
    const restored = patched(takenOver, restorePatch(takenOver, { holdUntil: Date.UTC(2026, 0, 1) }));

    assert.equal(restored.metadata.annotations?.[annotations.holdUntil], "2026-01-01T00:00:00Z");
  });

  it("keeps a selector of another client, and repairs target ports that were left", () => {
    const half = patched(takenOver, { spec: { selector: { ...cleared(takenOver), app: "cart-v2" } } });

    const restored = patched(half, restorePatch(half));

    assert.deepEqual(restored.spec?.selector, { app: "cart-v2" });
    assert.equal(restored.spec?.ports?.[0]?.targetPort, "http");
    assert.equal(takeoverState(restored, ports), "original");
  });

  it("uses the Service of the baseline if the record was removed", () => {
    const lost = patched(takenOver, { metadata: { annotations: { [annotations.original]: null } } });
    assert.equal(takeoverState(lost, ports), "unrecorded");
    assert.equal(takeoverPatch(lost, { ports }), undefined);
    assert.equal(restorePatch(lost), undefined);

    const restored = patched(lost, restorePatch(lost, { base: buildBaseService(takenOver) }));

    assert.deepEqual(restored.spec?.selector, cart.spec?.selector);
    assert.equal(restored.spec?.ports?.[0]?.targetPort, "http");
  });

  it("does not exist for a Service that is not taken over", () => {
    assert.equal(restorePatch(cart), undefined);
  });
});

describe("the state of a Service", () => {
  it("follows from selector, target ports and record", () => {
    assert.equal(takeoverState(undefined, ports), "absent");
    assert.equal(takeoverState(cart, ports), "original");
    assert.equal(takeoverState(takenOver, ports), "takenOver");
    assert.equal(takeoverState(takenOver, { ...ports, "80": 21_005 }), "reverted");
    const restoredByHand = patched(takenOver, { spec: cart.spec, metadata: {} });
    assert.equal(takeoverState({ ...restoredByHand, spec: cart.spec ?? {} }, ports), "reverted");
  });
});

describe("the Service of the baseline", () => {
  it("is the same before and after the takeover", () => {
    const before = buildBaseService(cart);

    assert.deepEqual(buildBaseService(takenOver), before);
    assert.equal(before.metadata.name, "cart--base");
    assert.deepEqual(before.spec?.selector, cart.spec?.selector);
    assert.deepEqual(before.spec?.ports?.[0], { name: "http", port: 80, protocol: "TCP", targetPort: "http" });
  });
});

describe("listening ports", () => {
  it("are unique in a namespace and stable", () => {
    const first = allocatePorts([80, 9000], {}, []);
    assert.deepEqual(first, { "80": 21_000, "9000": 21_001 });
    assert.deepEqual(allocatePorts([80, 8000], { "80": 21_003 }, [ports]), { "80": 21_003, "8000": 21_002 });
  });

  it("do not exist when the range is used up", () => {
    const all = Object.fromEntries(Array.from({ length: 8_000 }, (_, index) => [String(index + 1), 21_000 + index]));

    assert.equal(allocatePorts([80], {}, [all]), undefined);
  });

  it("change the version of a table", () => {
    assert.equal(versionWithPorts("v1", {}), "v1");
    assert.equal(versionWithPorts("v1", undefined), "v1");
    assert.notEqual(versionWithPorts("v1", { "80": 21_000 }), versionWithPorts("v1", { "80": 21_001 }));
    assert.equal(versionWithPorts("v1", { "9000": 21_001, "80": 21_000 }), versionWithPorts("v1", ports));
  });
});

function cleared({ spec }: Service): Readonly<Record<string, null>> {
  return Object.fromEntries(Object.keys(spec?.selector ?? {}).map((key) => [key, null]));
}
