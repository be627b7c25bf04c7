import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ArgumentError, FakeClock, isRecord, type JsonRecord, SeededRandom } from "@homeostat/core";
import type { AdmissionRequest } from "../../../admission/admission.ts";
import { named, refusal, requestFor } from "../../../testing/admission-request.ts";
import { keyOf, keyPrefix } from "../../../resources/keys.ts";
import { decodeStored, encodeAtRevision } from "../../../registry/stored-object.ts";
import { Store } from "../../../storage/store.ts";
import { textAt } from "../../../values/fields.ts";
import { addressNumber, addressText, parseRange } from "./address-range.ts";
import { AllocatedNumbers } from "./allocated-numbers.ts";
import { ServiceAllocation } from "./allocation.ts";
import { freeNumber } from "./free-numbers.ts";

describe("ServiceAllocation", () => {
  const service = (name: string, spec: object): JsonRecord =>
    named(name, { spec: { type: "ClusterIP", ports: [{ port: 80 }], ...spec } }, "team");
  const storeOf = (stored: readonly JsonRecord[]): Store<JsonRecord> => {
    const store = new Store<JsonRecord>({ clock: new FakeClock(), decode: decodeStored });
    for (const each of stored) store.create(keyFor(each), encodeAtRevision(each));
    return store;
  };
  const keyFor = (object: JsonRecord): string =>
    keyOf(keyPrefix("", "services"), "team", textAt(object, "metadata", "name"));
  const make = (stored: readonly JsonRecord[] = [], rest: object = {}, store = storeOf(stored)): ServiceAllocation =>
    new ServiceAllocation({
      allocated: new AllocatedNumbers(store),
      clock: { monotonic: () => 0 },
      random: new SeededRandom(1),
      ...rest,
    });
  const allocate = (
    allocation: ServiceAllocation,
    object: JsonRecord,
    rest: Partial<AdmissionRequest> = {},
  ): JsonRecord => {
    const made = allocation.step.finish?.(requestFor("services", object, rest));
    return isRecord(made?.["spec"]) ? made["spec"] : {};
  };

  it("allocates a free address of the range", () => {
    const allocation = make([], { range: "10.0.0.0/30" });

    const first = allocate(allocation, service("a", {}));
    const second = allocate(allocation, service("b", {}));

    assert.deepEqual(new Set([first["clusterIP"], second["clusterIP"]]), new Set(["10.0.0.1", "10.0.0.2"]));
    assert.deepEqual(first["ipFamilies"], ["IPv4"]);
  });

  it("fails when all addresses are taken, and works again when one is released", async () => {
    const stored = [service("a", { clusterIPs: ["10.0.0.1"] }), service("b", { clusterIPs: ["10.0.0.2"] })];
    const store = storeOf(stored);
    const full = make([], { range: "10.0.0.0/30" }, store);

    assert.equal(
      await refusal(() => allocate(full, service("c", {}))),
      '500 Internal error occurred: failed to allocate a serviceIP for Service "c": range is full',
    );
    store.delete(keyFor(stored[1] ?? {}));
    assert.equal(allocate(full, service("c", {}))["clusterIP"], "10.0.0.2");
  });

  it("rejects taken numbers, also right before the write", async () => {
    const allocation = make([service("a", { clusterIPs: ["10.96.0.9"], ports: [{ port: 1, nodePort: 30001 }] })]);
    const taken = service("b", { clusterIP: "10.96.0.9", clusterIPs: ["10.96.0.9"] });
    const text =
      '422 Service "b" is invalid: spec.clusterIPs: Invalid value: ["10.96.0.9"]: failed to allocate IP 10.96.0.9: provided IP is already allocated';

    assert.equal(await refusal(() => allocate(allocation, taken)), text);
    assert.equal(await refusal(() => allocation.step.atWrite?.(requestFor("services", taken))), text);
    const port = service("b", { type: "NodePort", ports: [{ port: 1, nodePort: 30001 }] });
    assert.match(
      (await refusal(() => allocate(allocation, port))) ?? "",
      /spec.ports\[0\].nodePort: Invalid value: 30001: provided port is already allocated/,
    );
  });

  it("rejects a health check port that a concurrent request took, right before the write", async () => {
    const allocation = make([service("a", { ports: [{ port: 1, nodePort: 30001 }] })]);
    const balancer = service("b", {
      type: "LoadBalancer",
      externalTrafficPolicy: "Local",
      healthCheckNodePort: 30001,
      ports: [{ port: 1, nodePort: 30002 }],
    });

    assert.equal(
      await refusal(() => allocation.step.atWrite?.(requestFor("services", balancer))),
      "500 Internal error occurred: failed to allocate requested HealthCheck NodePort 30001: provided port is already allocated",
    );
  });

  it("restores values that an update omits, and drops those that the new type does not need", () => {
    const old = service("a", {
      type: "NodePort",
      clusterIP: "10.96.0.9",
      clusterIPs: ["10.96.0.9"],
      ipFamilies: ["IPv4"],
      ipFamilyPolicy: "SingleStack",
      ports: [{ port: 1, nodePort: 30001 }],
    });
    const update = { operation: "UPDATE", oldObject: old } as const;

    const same = allocate(make([old]), service("a", { type: "NodePort", ports: [{ port: 1 }] }), update);
    const plain = allocate(
      make([old]),
      service("a", { type: "ClusterIP", ports: [{ port: 1, nodePort: 30001 }] }),
      update,
    );
    const name = allocate(
      make([old]),
      service("a", { type: "ExternalName", clusterIP: "10.96.0.9", clusterIPs: ["10.96.0.9"] }),
      update,
    );

    assert.equal(same["clusterIP"], "10.96.0.9");
    assert.deepEqual(same["ports"], [{ port: 1, nodePort: 30001 }]);
    assert.deepEqual(plain["ports"], [{ port: 1 }]);
    assert.equal("clusterIP" in name, false);
  });
});

describe("parseRange and freeNumber", () => {
  it("parse an IPv4 range in CIDR notation and reject any other text", () => {
    assert.deepEqual(parseRange("10.96.5.7/12"), {
      text: "10.96.5.7/12",
      first: addressNumber("10.96.0.0"),
      size: 2 ** 20,
    });
    assert.equal(addressText(addressNumber("255.0.128.1") ?? 0), "255.0.128.1");
    for (const text of ["", "10.0.0.0", "10.0.0.0/33", "10.0.0.256/8", "::/64", "10.0.0.0/8/8"]) {
      assert.throws(() => parseRange(text), ArgumentError);
    }
  });

  it("allocate the reserved part of a range last", () => {
    const random = new SeededRandom(1);
    const taken = new Set<number>();
    const order: number[] = [];
    for (let n = 0; n < 6; n += 1) {
      const number = freeNumber({ first: 1, last: 6, reserved: 2 }, (each) => taken.has(each), random);
      assert.ok(number !== undefined);
      taken.add(number);
      order.push(number);
    }

    assert.deepEqual(new Set(order.slice(0, 4)), new Set([3, 4, 5, 6]));
    assert.equal(
      freeNumber({ first: 1, last: 6, reserved: 2 }, (each) => taken.has(each), random),
      undefined,
    );
  });
});
