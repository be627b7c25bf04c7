import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { isRecord, type KubeObject, readPointer } from "@homeostat/core";
import type { Extras } from "@homeostat/operator";
import { Registry } from "@homeostat/runtime";
import { repository } from "../repository.ts";

/** Input of an operator for the test of its alerts and its dashboard. */
export interface MonitoringSuite {
  readonly extras: Extras;
  /** Registers the operator's own metrics. */
  readonly register: (registry: Registry) => void;
}

const place = { instance: "shop", namespace: "shop-system", serviceAccount: "shop", podLabels: {} };

/** Series that Prometheus itself adds to each target. */
const prometheusSeries: ReadonlySet<string> = new Set(["up"]);

const keywords: ReadonlySet<string> = new Set(["and", "or", "unless", "bool", "offset", "inf", "nan"]);

/** Declares the tests of an operator's alerts and dashboard: every metric that they name exists, and texts explain them. */
export function describeMonitoring({ extras, register }: MonitoringSuite): void {
  const objects = ["alertRules", "dashboard"].flatMap((name) => extras[name]?.objects(place) ?? []);

  describe("alerts and dashboard", () => {
    it("name only metrics that the operator or every manager registers", () => {
      const registry = new Registry();
      register(registry);
      const common = metricsOfManagers();
      const isKnown = (name: string): boolean =>
        prometheusSeries.has(name) || common.has(name) || registry.get(name) !== undefined;
      const named = objects.flatMap(expressionsOf).flatMap(metricsIn);

      assert.ok(named.length > 0);
      assert.deepEqual(
        [...new Set(named)].filter((name) => !isKnown(name) && !isKnown(name.replace(/_(?:bucket|sum|count)$/, ""))),
        [],
      );
    });

    it("explain every alert and every panel", () => {
      const texts = objects.flatMap((object) => [
        ...rulesOf(object).map((rule) => readPointer(rule, "/annotations/description")),
        ...panelsOf(object).map((panel) => readPointer(panel, "/description")),
      ]);

      assert.ok(texts.length > 0);
      for (const text of texts) assert.match(String(text), /\w \w.*\.$/s);
    });
  });
}

/** Returns the metrics that a PromQL expression names. */
export function metricsIn(expr: string): readonly string[] {
  const bare = expr
    .replaceAll(/"(?:[^"\\]|\\.)*"/g, "")
    .replaceAll(/\{[^}]*\}/g, "")
    .replaceAll(/\[[^\]]*\]/g, "")
    .replaceAll(/\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, "");
  const words = bare.matchAll(/(?<![\w.])[a-zA-Z_:][\w:]*(?!\s*\()(?![\w:])/g);
  return [...words].map(([word]) => word).filter((word) => !keywords.has(word.toLowerCase()));
}

function expressionsOf(object: KubeObject): readonly string[] {
  const queries = panelsOf(object).flatMap((panel) => listAt(panel, "/targets"));
  return [...rulesOf(object), ...queries].map((each) => String(readPointer(each, "/expr")));
}

function rulesOf(object: KubeObject): readonly unknown[] {
  return listAt(object, "/spec/groups").flatMap((group) => listAt(group, "/rules"));
}

function panelsOf(object: KubeObject): readonly unknown[] {
  const data = readPointer(object, "/data");
  const files = isRecord(data) ? Object.values(data) : [];
  return files.flatMap((text) => listAt(JSON.parse(String(text)), "/panels"));
}

function listAt(value: unknown, path: string): readonly unknown[] {
  const list = readPointer(value, path);
  return Array.isArray(list) ? list : [];
}

/** Returns the metrics of every manager. A test of the runtime compares this page with the registry of a manager. */
function metricsOfManagers(): ReadonlySet<string> {
  const page = readFileSync(new URL("docs/reference/metrics.md", repository), "utf8");
  return new Set([...page.matchAll(/^\| `(\w+)` /gm)].map(([, name = ""]) => name));
}
