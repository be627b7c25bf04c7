import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonRecord } from "@homeostat/core";
import { fuzz } from "@homeostat/fuzz";
import { StatusError } from "../status/status.ts";
import { patchObject, type PatchRequest } from "./patch-request.ts";

const current: JsonRecord = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "d", labels: { a: "b" }, finalizers: ["x", "y"] },
  spec: {
    replicas: 1,
    selector: { matchLabels: { a: "b" } },
    strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } },
    template: {
      metadata: {},
      spec: {
        containers: [
          { name: "a", image: "i", env: [{ name: "E", value: "1" }] },
          { name: "b", image: "j" },
        ],
      },
    },
  },
};

const samples: readonly [PatchRequest["type"], string][] = [
  [
    "application/json-patch+json",
    '[{"op":"add","path":"/metadata/labels/c","value":"d"},{"op":"move","from":"/spec/replicas","path":"/spec/paused"},{"op":"copy","from":"/metadata","path":"/spec/template/metadata"},{"op":"remove","path":"/spec/template/spec/containers/-1"},{"op":"test","path":"/kind","value":"Deployment"}]',
  ],
  [
    "application/merge-patch+json",
    '{"metadata":{"labels":{"a":null,"c":"d"}},"spec":{"replicas":3,"template":{"spec":{"containers":[{"name":"c"}]}}}}',
  ],
  [
    "application/strategic-merge-patch+json",
    '{"metadata":{"$deleteFromPrimitiveList/finalizers":["x"]},"spec":{"strategy":{"$retainKeys":["type"],"type":"Recreate"},"template":{"spec":{"$setElementOrder/containers":[{"name":"b"},{"name":"a"}],"containers":[{"name":"a","env":[{"$patch":"delete","name":"E"}]},{"$patch":"replace"}]}}}}',
  ],
];

const pieces = [
  '"',
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  "null",
  "/",
  "~",
  "-",
  "-1",
  '"$patch":"delete"',
  '"__proto__":',
  "99999999999999999999",
  '"name"',
  '{"name":"a"}',
  "1",
];

describe("malformed patches", () => {
  for (const [type, sample] of samples) {
    it(`are refused with a Status or applied (${type})`, () => {
      const before = JSON.stringify(current);
      const { accepted } = fuzz({
        count: 10_000,
        input: (chance) => chance.mutate(sample, pieces),
        run: (body) =>
          patchObject({
            type,
            body: Buffer.from(body),
            current,
            expected: { apiVersion: "apps/v1", kind: "Deployment" },
            isCustom: false,
            fieldValidation: body.length % 2 === 0 ? "Strict" : "Ignore",
          }),
        isExpected: (error) => error instanceof StatusError && (error.status.code ?? 0) >= 400,
      });

      assert.ok(accepted > 10 && accepted < 9_900, `${accepted} accepted`);
      assert.equal(JSON.stringify(current), before);
    });
  }

  it("are refused when they need too much work", () => {
    const list = Array.from({ length: 100_000 }, (_, n) => String(n));
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x", finalizers: list } };
    const operations = Array.from({ length: 9000 }, () => ({ op: "add", path: "/metadata/finalizers/0", value: "x" }));
    const copies = [...Array(30).keys()].map(() => ({ op: "copy", from: "/metadata", path: "/metadata/labels" }));
    const strategic = { metadata: { finalizers: list.map((each) => `new ${each}`) } };
    const expected = { apiVersion: "v1", kind: "ConfigMap" };
    const run = (type: PatchRequest["type"], body: unknown): unknown =>
      patchObject({
        type,
        body: Buffer.from(JSON.stringify(body)),
        current: object,
        expected,
        isCustom: false,
        fieldValidation: "",
      });
    const started = process.cpuUsage().user;

    assert.throws(() => run("application/json-patch+json", operations), { name: "StatusError" });
    assert.throws(() => run("application/json-patch+json", copies), { name: "StatusError" });
    run("application/strategic-merge-patch+json", strategic);

    assert.ok(
      (process.cpuUsage().user - started) / 1000 < 3000,
      "three malicious patches take less than a second each",
    );
  });
});
