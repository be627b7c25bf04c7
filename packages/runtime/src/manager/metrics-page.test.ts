import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { silentLogger } from "../log/logger.ts";
import type { Metric } from "../metrics/metric.ts";
import { Registry } from "../metrics/registry.ts";
import { FakeServer } from "../testing/manager-server.ts";
import { createManager } from "./manager.ts";

const page = readFileSync(new URL("../../../../docs/reference/metrics.md", import.meta.url), "utf8");

/** A registry that lists its metrics. */
class ListedRegistry extends Registry {
  // Created on first use: the base class registers metrics before the fields of this class are initialized.
  declare metrics: Map<string, Metric> | undefined;

  override register<M extends Metric>(metric: M): M {
    this.metrics ??= new Map();
    this.metrics.set(metric.name, metric);
    return super.register(metric);
  }
}

describe("docs/reference/metrics.md", () => {
  it("lists exactly the metrics that a manager registers, with their types", () => {
    const registry = new ListedRegistry();
    const manager = createManager({ name: "page", connection: new FakeServer(), log: silentLogger, registry, env: {} });
    assert.equal(manager.state, "new");

    const rows = page.matchAll(/^\| `(\w+)` +\| (\w+) +\|/gm);
    const listed = [...rows].map(([, name = "", type = ""]) => `${name} ${type}`);

    const registered = [...(registry.metrics?.values() ?? [])].map(({ name, type }) => `${name} ${type}`);
    assert.deepEqual(listed.toSorted(), registered.toSorted());
  });
});
