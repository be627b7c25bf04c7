import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { isEqual } from "@homeostat/core";
import { deployment, service } from "../testing/fork-baselines.ts";
import { forkInput } from "../testing/fork-cases.ts";
import { readBaseline } from "./baseline.ts";
import { deriveFork } from "./derive-fork.ts";
import { diffValues, pointerOf, readablePath } from "./diff.ts";
import { isRefusal } from "./refusal.ts";
import { diffTemplates, formatDiff } from "./template-diff.ts";

/** Differences as text. */
function changes(before: unknown, after: unknown): string[] {
  return diffValues(before, after).map(
    ({ steps, old, new: now }) => `${readablePath(steps)}: ${JSON.stringify(old)} -> ${JSON.stringify(now)}`,
  );
}

describe("a diff", () => {
  const rows: readonly [name: string, before: unknown, after: unknown, expected: readonly string[]][] = [
    ["of equal values is empty", { a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }, []],
    [
      "lists changed, removed and added fields",
      { a: 1, b: 2 },
      { b: 3, c: 4 },
      ["a: 1 -> undefined", "b: 2 -> 3", "c: undefined -> 4"],
    ],
    [
      "compares named elements by name",
      {
        c: [
          { name: "a", i: 1 },
          { name: "b", i: 2 },
        ],
      },
      { c: [{ name: "b", i: 3 }] },
      ['c[a]: {"name":"a","i":1} -> undefined', "c[b].i: 2 -> 3"],
    ],
    [
      "reports another order of named elements",
      [{ name: "a" }, { name: "b" }],
      [{ name: "b" }, { name: "a" }],
      [': ["a","b"] -> ["b","a"]'],
    ],
    ["compares other lists as a whole", { args: ["a", "b"] }, { args: ["b"] }, ['args: ["a","b"] -> ["b"]']],
    [
      "compares elements with the same name as a whole",
      [{ name: "a", i: 1 }, { name: "a" }],
      [{ name: "a", i: 2 }],
      [': [{"name":"a","i":1},{"name":"a"}] -> [{"name":"a","i":2}]'],
    ],
    ["quotes keys with other characters", { l: { "a.b/c": 1 } }, { l: {} }, ["l[a.b/c]: 1 -> undefined"]],
    [
      "identifies mounts by path",
      {
        m: [
          { mountPath: "/a", name: "v" },
          { mountPath: "/b", name: "v" },
        ],
      },
      {
        m: [
          { mountPath: "/a", name: "v" },
          { mountPath: "/b", name: "w" },
        ],
      },
      ['m[/b].name: "v" -> "w"'],
    ],
  ];
  for (const [name, before, after, expected] of rows) {
    it(name, () => assert.deepEqual(changes(before, after), expected));
  }

  it("has JSON Pointers with the indexes of the new value", () => {
    const before = { c: [{ name: "a" }, { name: "b", "x/y": 1 }] };
    const after = { c: [{ name: "b", "x/y": 2 }, { name: "a" }] };

    assert.deepEqual(
      diffValues(before, after).map(({ steps }) => pointerOf(steps)),
      ["/c/0/x~1y", "/c"],
    );
  });

  it("is empty if and only if the values are equal", () => {
    const value = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: "small" },
        fc.integer({ min: 0, max: 2 }),
        fc.constantFrom("a", "b", null),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom("name", "a", "b", "__proto__"), tie("value"), { maxKeys: 3 }),
        fc.array(fc.record({ name: fc.constantFrom("a", "b", "c"), v: tie("value") }), { maxLength: 3 }),
      ),
    })).value;
    fc.assert(
      fc.property(value, value, (a, b) => {
        assert.equal(diffValues(a, b).length === 0, isEqual(a, b));
        assert.deepEqual(diffValues(a, a), []);
      }),
      { numRuns: 500, seed: 7 },
    );
  });
});

describe("a diff of templates", () => {
  const input = forkInput({
    baseline: { kind: "Deployment", object: deployment() },
    services: [service("cart")],
    entry: { containers: [{ name: "app", image: "shop/cart:pr-42" }] },
  });
  const fork = deriveFork(input);
  assert.ok(!isRefusal(fork));
  const { template } = fork.deployment.spec;

  it("shows how a fork differs from its baseline, with references in place of secret values", () => {
    const { lines, omitted } = diffTemplates(input.baseline.template, template);

    assert.equal(omitted, 0);
    assert.deepEqual(
      lines.find(({ path }) => path === "spec.containers[app].image"),
      { path: "spec.containers[app].image", old: "shop/cart:1.4.0", new: "shop/cart:pr-42" },
    );
    assert.ok(!JSON.stringify(lines).includes("DB_PASSWORD"));
    assert.deepEqual(
      lines,
      lines.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    );
  });

  it("is formatted with old and new values", () => {
    const object = deployment({ spec: { hostname: "a\nb", dnsPolicy: "None" } });
    const baseline = readBaseline({ kind: "Deployment", object });
    assert.ok(baseline !== undefined);
    const changed = deriveFork({ ...input, baseline });
    assert.ok(!isRefusal(changed));

    const text = formatDiff(diffTemplates(template, changed.deployment.spec.template));

    assert.equal(text, ["spec.dnsPolicy", "  + None", "spec.hostname", '  + "a\\nb"', ""].join("\n"));
  });

  it("is limited in lines and in the length of values", () => {
    const before = { spec: { containers: [] } };
    const volumes = Array.from({ length: 50 }, (_, i) => ({ name: `v${i}`, configMap: { name: "x".repeat(500) } }));

    const diff = diffTemplates(
      before,
      { spec: { containers: [], volumes, hostname: "h" } },
      { linesMax: 1, valueLengthMax: 20 },
    );

    assert.equal(diff.lines.length, 1);
    assert.equal(diff.omitted, 1);
    assert.match(formatDiff(diff), /… and 1 more\n$/);
    assert.ok(diff.lines.every((line) => (line.new ?? "").length <= 20));
  });
});
