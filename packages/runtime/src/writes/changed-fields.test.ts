import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isEqual } from "@homeostat/core";
import fc from "fast-check";
import { changedFieldsBy, changedFields } from "./changed-fields.ts";
import { driftedFields } from "./drifted-fields.ts";
import { otherManagers } from "./field-managers.ts";

const paths = (before: unknown, after: unknown): string[] => changedFields(before, after).map(({ path }) => path);

describe("changedFields", () => {
  it("formats field paths", () => {
    const container = (image: string): object => ({
      spec: { template: { spec: { containers: [{ name: "side" }, { name: "web", image }] } } },
    });

    assert.deepEqual(paths(container("a"), container("b")), ["spec.template.spec.containers[name=web].image"]);
    assert.deepEqual(paths({ metadata: { labels: {} } }, { metadata: { labels: { "app.kubernetes.io/name": "x" } } }), [
      'metadata.labels["app.kubernetes.io/name"]',
    ]);
    assert.deepEqual(paths({ a: [{ x: 1 }, { x: 2 }] }, { a: [{ x: 1 }, { x: 3 }] }), ["a[1].x"]);
    assert.deepEqual(paths({ a: [1, 2] }, { a: [1, 3] }), ["a"]);
    assert.deepEqual(paths({ a: [{ name: "x" }] }, { a: [{ name: "y" }] }), ["a[name=x]", "a[name=y]"]);
  });

  it("omits metadata that the server changes with every write", () => {
    const before = { metadata: { resourceVersion: "1", generation: 1, managedFields: [] }, spec: { generation: 1 } };
    const after = { metadata: { resourceVersion: "2", generation: 2, managedFields: [1] }, spec: { generation: 2 } };

    assert.deepEqual(paths(before, after), ["spec.generation"]);
  });

  it("limits the number of fields and the depth", () => {
    const wide = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`k${index}`, index]));
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level += 1) deep = { a: deep };

    assert.equal(paths({}, wide).length, 20);
    assert.equal(paths({ a: {} }, deep)[0]?.length, 3);
    assert.equal(changedFields(wide, {}, { fieldsMax: 2 }).length, 2);
  });

  it("returns fields exactly when there is a difference", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.jsonValue({ maxDepth: 4 }), (a, b) => {
        assert.equal(changedFields({ spec: a }, { spec: b }).length === 0, isEqual(a, b));
      }),
      { numRuns: 2000 },
    );
  });
});

describe("driftedFields", () => {
  it("compares only configured fields, in maps and in lists with keys", () => {
    const config = { spec: { replicas: 2, containers: [{ name: "web", image: "a", ports: [80] }] } };
    const live = {
      status: { x: 1 },
      spec: {
        replicas: 2,
        paused: false,
        containers: [
          { name: "injected", image: "x" },
          { name: "web", image: "b", ports: [80], pullPolicy: "Always" },
        ],
      },
    };

    assert.deepEqual(
      driftedFields(config, live).map(({ path }) => path),
      ["spec.containers[name=web].image"],
    );
    assert.deepEqual(
      driftedFields(config, { spec: { containers: [] } })
        .map(({ path }) => path)
        .toSorted(),
      ["spec.containers", "spec.replicas"],
    );
  });
});

describe("otherManagers", () => {
  const entry = (manager: string, fieldsV1: Record<string, unknown>, more: object = {}): object => ({
    manager,
    operation: "Update",
    time: "2026-01-01T00:00:00Z",
    fieldsV1,
    ...more,
  });
  const object = (managedFields: object[]): Parameters<typeof otherManagers>[0] & { spec: object } => ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", managedFields },
    spec: { replicas: 1, containers: [{ name: "web", image: "a", ports: [{ containerPort: 80, protocol: "TCP" }] }] },
  });
  const replicas = { fields: [["spec", "replicas"]], except: "ours" };

  it("returns the managers of a field, in maps and in lists with keys", () => {
    const image = { "f:spec": { "f:containers": { 'k:{"name":"web"}': { ".": {}, "f:image": {} } } } };
    const ports = {
      "f:spec": {
        "f:containers": {
          'k:{"name":"web"}': { "f:ports": { 'k:{"containerPort":80,"protocol":"TCP"}': { ".": {} } } },
        },
      },
    };
    const found = object([
      entry("ours", { "f:spec": { "f:replicas": {} } }),
      entry("scaler", { "f:spec": { "f:replicas": {} } }),
      entry("imager", image),
      entry("porter", ports),
    ]);
    const inWeb = ["spec", "containers", { key: "name", value: "web" }] as const;

    assert.deepEqual(otherManagers(found, replicas), ["scaler"]);
    assert.deepEqual(otherManagers(found, { fields: [[...inWeb, "image"]], except: "ours" }), ["imager"]);
    const port = [...inWeb, "ports", { key: "containerPort", value: "80" }];
    assert.deepEqual(otherManagers(found, { fields: [port], except: "ours" }), ["porter"]);
  });

  it("returns the manager of the latest write when the field has no manager", () => {
    const late = { time: "2026-01-02T00:00:00Z" };
    const found = object([entry("late", { "f:x": {} }, late), entry("early", { "f:y": {} }), entry("ours", {}, late)]);

    assert.deepEqual(otherManagers(found, replicas), ["late"]);
    assert.deepEqual(otherManagers(object([]), replicas), []);
  });

  it("considers only status entries for a status write", () => {
    const found = object([
      entry("kubelet", { "f:status": { "f:phase": {} } }, { subresource: "status" }),
      entry("other", { "f:status": { "f:phase": {} } }),
    ]);

    const query = { fields: [["status", "phase"]], except: "ours", subresource: "status" };
    assert.deepEqual(otherManagers(found, query), ["kubelet"]);
  });

  it("accepts invalid managedFields", () => {
    fc.assert(
      fc.property(
        fc.object({ key: fc.constantFrom("f:spec", "k:{", "k:null", "f:replicas", ".", "__proto__") }),
        (fields) => {
          assert.ok(Array.isArray(otherManagers(object([entry("x", fields)]), replicas)));
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe("changedFieldsBy", () => {
  it("returns the fields that a merge patch changes, and reads no others", () => {
    const before = {
      metadata: { resourceVersion: "1" },
      spec: { a: 1 },
      status: { phase: "New", count: 1, gone: true },
    };
    const patch = { metadata: { resourceVersion: "1" }, status: { phase: "Ready", count: 1, gone: null, more: "x" } };

    const changed = changedFieldsBy(before, patch);

    assert.deepEqual(
      changed.map(({ path, after }) => [path, after]),
      [
        ["status.phase", "Ready"],
        ["status.gone", undefined],
        ["status.more", "x"],
      ],
    );
  });

  it("returns the same as a comparison of the whole objects", () => {
    const before = { status: { list: [{ name: "a", on: true }], deep: { x: { y: 1 } } }, spec: {} };
    const patch = { status: { list: [{ name: "a", on: false }], deep: { x: { y: 2 } } } };

    assert.deepEqual(changedFieldsBy(before, patch), changedFields(before, { ...before, ...patch }));
  });
});
