import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cpuMs } from "@homeostat/fuzz/cpu-time";
import { defaultConfig } from "../settings/config.ts";
import { namespace, sandboxWith, sandboxWithEntry } from "../testing/objects.ts";
import { ruleCases } from "../testing/rule-cases.ts";
import { many } from "../testing/schema-case.ts";
import { selectsPods } from "../api/pod-selector.ts";
import { baselineProblems } from "./baseline-rules.ts";
import { describeProblems } from "./problem.ts";
import { sandboxProblems } from "./sandbox-rules.ts";

const context = { namespace, config: defaultConfig };

for (const [kind, { rules, cases }] of Object.entries(ruleCases)) {
  describe(`the rules for a ${kind}`, () => {
    it("have different names and a case each", () => {
      const names = rules.map(({ name }) => name);

      assert.equal(new Set(names).size, names.length);
      assert.deepEqual([...new Set(cases.map(({ rule }) => rule))].toSorted(), names.toSorted());
    });

    for (const [index, { rule, path, says, bad, good }] of cases.entries()) {
      it(`report ${rule} at ${path}, and nothing else (row ${index + 1})`, () => {
        const problems = bad();

        assert.deepEqual(
          problems.map((problem) => [problem.code, problem.path]),
          [[rule, path]],
          describeProblems(problems),
        );
        assert.ok(problems[0]?.message.includes(says), problems[0]?.message);
        assert.deepEqual(good(), []);
      });
    }
  });
}

describe("sandboxProblems", () => {
  it("allows sandboxes without expiry if the configuration does", () => {
    const config = { ...defaultConfig, limits: { ...defaultConfig.limits, allowForever: true } };

    assert.deepEqual(sandboxProblems(sandboxWith({ ttl: 0 }), { namespace, config }), []);
  });

  it("reports all problems at once, each field once", () => {
    const sandbox = sandboxWith(
      {
        ttl: "30d",
        labels: { "sandbox.example.com/a": "b" },
        services: [
          { name: "cart", targetRef: { name: "cart" }, preserveLabels: ["["], patches: [{ type: "JSON", value: {} }] },
        ],
        endpoints: [{ name: "web", target: "ftp://x" }],
      },
      "a.b",
    );

    assert.deepEqual(
      sandboxProblems(sandbox, context)
        .map(({ path, code }) => `${code} ${path}`)
        .toSorted(),
      [
        "LabelReserved spec.labels[sandbox.example.com/a]",
        "PatchInvalid spec.services[0].patches[0].value",
        "PatternInvalid spec.services[0].preserveLabels[0]",
        "SchemaInvalid metadata.name",
        "SchemaInvalid spec.endpoints[0].target",
        "TtlOutOfRange spec.ttl",
      ],
    );
  });

  it("accepts a sandbox that was stored without the defaults of the present schema", () => {
    const spec = JSON.parse('{"services":[{"name":"a","targetRef":{"name":"a"}}]}');

    assert.deepEqual(sandboxProblems({ ...sandboxWith(), spec }, context), []);
  });

  it("reports wrong types without running the rules", () => {
    const spec = JSON.parse('{"labels":["a"],"services":{},"ttl":true}');

    const paths = sandboxProblems({ ...sandboxWith(), spec }, context)
      .map(({ path }) => path)
      .filter((path) => path !== "");

    assert.deepEqual([...new Set(paths)].toSorted(), ["spec.labels", "spec.services", "spec.ttl"]);
  });

  it("rejects huge values quickly, with a message that fits a condition", () => {
    const labels = Object.fromEntries(many(20_000, (index) => [`sandbox.example.com/${index}`, "x"]));
    const hostile = [
      sandboxWith({ labels }),
      sandboxWithEntry({ preserveLabels: ["(".repeat(100_000)] }),
      sandboxWithEntry({
        patches: many(8, () => ({ type: "Merge" as const, value: { a: "\u0000".repeat(200_000) } })),
      }),
      sandboxWith({ services: many(5000, (index) => ({ name: `e${index}`, targetRef: { name: "x" } })) }),
      sandboxWith({ description: "\u0000".repeat(1024) }),
    ];
    for (const sandbox of hostile) {
      let text = "";

      const usedMs = cpuMs(() => {
        text = describeProblems(sandboxProblems(sandbox, context));
      });

      assert.ok(text !== "" && text.length <= 1024, String(text.length));
      assert.ok(usedMs < 1500, String(usedMs));
    }
  });
});

describe("baselineProblems", () => {
  const template = { labels: { app: "cart" }, containers: ["app", "init"] };
  const services = [
    { name: "cart", selector: { app: "cart" } },
    { name: "other", selector: { app: "other" } },
    { name: "manual", selector: undefined },
  ];
  const check = (entry: Parameters<typeof sandboxWithEntry>[0]) => {
    const [first] = sandboxWithEntry(entry).spec.services;
    assert.ok(first !== undefined);
    return baselineProblems(first, "spec.services[0]", { template, services }).map(
      ({ code, path }) => `${code} ${path}`,
    );
  };

  it("accepts containers, init containers and Services of the baseline", () => {
    assert.deepEqual(check({ containers: [{ name: "app" }, { name: "init" }], serviceNames: ["cart"] }), []);
  });

  it("reports unknown containers and Services that do not select the workload", () => {
    assert.deepEqual(check({ containers: [{ name: "web" }], serviceNames: ["none", "other", "manual"] }), [
      "ContainerUnknown spec.services[0].containers[0].name",
      "ServiceUnknown spec.services[0].serviceNames[0]",
      "ServiceSelectsOthers spec.services[0].serviceNames[1]",
      "ServiceSelectsOthers spec.services[0].serviceNames[2]",
    ]);
  });

  it("knows that a Service without a selector selects no pods", () => {
    assert.ok(!selectsPods({ selector: {} }, { app: "cart" }));
    assert.ok(selectsPods({ selector: { app: "cart" } }, { app: "cart", tier: "web" }));
  });
});
