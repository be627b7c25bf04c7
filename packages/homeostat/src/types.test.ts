// Compile-time checks of an operator that is written with this package alone.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ConfigMap } from "@homeostat/kubernetes/core/v1";
import {
  applied,
  type Client,
  defineController,
  defineOperator,
  defineResource,
  type InputOf,
  type ObjectOf,
  s,
} from "./index.ts";

const Website = defineResource({
  group: "web.example.com",
  version: "v1",
  kind: "Website",
  spec: { image: s.string(), replicas: s.int().default(1), hosts: s.list(s.string()).set().default([]) },
  conditions: ["Ready"],
});

const websites = defineController({
  for: Website,
  owns: { settings: applied(ConfigMap) },
  async reconcile({ setStatus, setCondition }) {
    // @ts-expect-error the status has conditions only
    setStatus({ foo: 1 });
    // @ts-expect-error there is no such condition
    setCondition("Redy", { status: true, reason: "Written" });
    setCondition("Ready", { status: true, reason: "Written" });
  },
});

/** Accepts code that must compile, or whose errors the compiler must report. The code is not run. */
function compiles(code: (client: Client) => Promise<unknown>): void {
  assert.equal(typeof code, "function");
}

describe("an operator written with this package alone", () => {
  it("lists resources and controllers of any kind", () => {
    const operator = defineOperator({ name: "web", resources: [Website], controllers: [websites] });

    assert.equal(operator.name, "web");
  });

  it("creates the result of make, and reads it back with defaults", () => {
    const made: InputOf<typeof Website> = Website.make({
      metadata: { name: "shop", namespace: "default" },
      spec: { image: "nginx" },
    });

    assert.deepEqual(made.spec, { image: "nginx" });
    compiles(async (client) => {
      const created: ObjectOf<typeof Website> = await client.create(Website, made);
      const replicas: number = created.spec.replicas;
      await client.update(Website, { ...created, spec: { ...created.spec, replicas: replicas + 1 } });
      await client.create(Website, Website.make({ metadata: { name: "a", namespace: "b" }, spec: { image: "nginx" } }));
      // @ts-expect-error the image is required
      await client.create(Website, Website.make({ metadata: { name: "a", namespace: "b" }, spec: {} }));
    });
  });
});
