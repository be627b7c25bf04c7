import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { silentLogger } from "../log/logger.ts";
import type { Metric } from "../metrics/metric.ts";
import { Registry } from "../metrics/registry.ts";
import { FakeServer } from "./fake-server.fixture.test.ts";
import { createManager } from "./manager.ts";

const page = readFileSync(new URL("../../../../docs/reference/metrics.md", import.meta.url), "utf8");

/** A registry that knows what is in it. */
class ListedRegistry extends Registry {
  // Made when the first metric comes, which is before this class has its fields.
  declare metrics: Map<string, Metric> | undefined;

  override register<M extends Metric>(metric: M): M {
    this.metrics ??= new Map();
    this.metrics.set(metric.name, metric);
    return super.register(metric);
  }
}

describe("the page about metrics", () => {
  it("lists what a manager registers, with its type, and nothing else", () => {
    const registry = new ListedRegistry();
    const manager = createManager({ name: "page", connection: new FakeServer(), log: silentLogger, registry, env: {} });
    assert.equal(manager.state, "new");

    const rows = page.matchAll(/^\| `(\w+)` +\| (\w+) +\|/gm);
    const listed = [...rows].map(([, name = "", type = ""]) => `${name} ${type}`);

    const registered = [...(registry.metrics?.values() ?? [])].map(({ name, type }) => `${name} ${type}`);
    assert.deepEqual(listed.toSorted(), registered.toSorted());
  });
});
