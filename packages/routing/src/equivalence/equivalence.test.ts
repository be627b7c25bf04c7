import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SeededRandom } from "@homeostat/core";
import { decide } from "../decide/decide.ts";
import { KeyReader } from "../key/key-reader.ts";
import type { RoutingErrorReason } from "../key/key-steps.ts";
import { headerSource } from "../request/header-source.ts";
import { compileTable } from "../table/compile-table.ts";
import { parseTable } from "../table/parse-table.ts";
import type { Feature } from "./case.ts";
import { equivalenceCases, outcomeOf } from "./index.ts";

describe("decide agrees with the equivalence cases", () => {
  for (const { name, table, port, role, settings, otherKeys, request, expected, counted } of equivalenceCases) {
    it(name, () => {
      const compiledPort = compileTable(table).ports.get(port);
      assert.ok(compiledPort);
      const reasons: RoutingErrorReason[] = [];

      const decision = decide(
        compiledPort,
        { ...request, headers: headerSource(request.headers) },
        {
          keys: new KeyReader({ role, settings }),
          random: new SeededRandom(1),
          knownKeys: new Set(otherKeys),
          count: (reason) => reasons.push(reason),
        },
      );

      assert.deepEqual(outcomeOf(decision), expected);
      assert.deepEqual(reasons, counted);
    });
  }
});

describe("the equivalence cases", () => {
  it("have unique names", () => {
    const names = equivalenceCases.map(({ name }) => name);

    assert.deepEqual(
      names.filter((name, index) => names.indexOf(name) < index),
      [],
    );
  });

  it("are about 200, and every feature has a case", () => {
    const features = new Set(equivalenceCases.flatMap((each) => each.features));
    const all: Record<Feature, true> = {
      "explicit-header": true,
      "group-header": true,
      baggage: true,
      "percent-encoding": true,
      "baggage-rules": true,
      "compat-header": true,
      tracestate: true,
      "custom-header": true,
      "several-keys": true,
      "invalid-key": true,
      "repeated-header": true,
      path: true,
      "dot-segments": true,
      "ambiguous-path": true,
      method: true,
      "header-condition": true,
      "percent-bounds": true,
      "sticky-percent": true,
      "several-routes": true,
      "several-ports": true,
      fail: true,
      fallback: true,
      hold: true,
      "service-target": true,
      virtual: true,
      probe: true,
      gateway: true,
      settings: true,
    };

    assert.ok(equivalenceCases.length >= 200, `${equivalenceCases.length} cases`);
    assert.deepEqual([...features].sort(), Object.keys(all).sort());
  });

  it("have tables that a proxy accepts", () => {
    for (const { name, table } of equivalenceCases) {
      const { problems, table: parsed } = parseTable(JSON.parse(JSON.stringify(table)));

      assert.deepEqual(problems, [], name);
      assert.deepEqual(parsed, JSON.parse(JSON.stringify(table)), name);
    }
  });
});
