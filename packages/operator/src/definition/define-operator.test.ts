import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ConfigMap, Node } from "@homeostat/kubernetes/core/v1";
import { accessOf, applied, defineController } from "@homeostat/runtime";
import { OperatorDefinitionError } from "../errors.ts";
import { flag } from "../flags/flag.ts";
import { parts, sample } from "../testing/sample-operator.ts";
import { defineOperator } from "./define-operator.ts";
import { inNamespaces } from "./in-namespaces.ts";
import type { OperatorDefinition } from "./operator.ts";

const problemsOf = (definition: OperatorDefinition): string[] => {
  try {
    defineOperator(definition);
    return [];
  } catch (error) {
    assert.ok(error instanceof OperatorDefinitionError);
    return error.problems.map(({ path, message }) => `${path} ${message}`);
  }
};

describe("defineOperator", () => {
  it("defaults the image and the version", () => {
    const { image, version } = defineOperator({ name: "shop" });

    assert.deepEqual([image, version], ["shop:0.0.0", "0.0.0"]);
  });

  it("builds the parts from the settings, with defaults for missing ones", () => {
    const paths = (settings?: Record<string, unknown>): string[] =>
      sample.parts(settings).webhooks.map(({ type }) => type);

    assert.deepEqual(paths(), ["validating"]);
    assert.deepEqual(paths({ isStrict: true }), ["validating", "mutating"]);
  });

  it("builds the parts once for each set of settings", () => {
    const calls: number[] = [];
    const operator = defineOperator({
      name: "counted",
      flags: { size: flag.integer({ default: 1, help: "the size" }) },
      controllers: ({ size }) => {
        calls.push(size);
        return [];
      },
    });

    operator.parts();
    operator.parts({ size: 1 });
    operator.parts({ size: 2 });
    operator.parts({ size: 2 });

    assert.deepEqual(calls, [1, 2]);
  });

  it("throws one error that lists all problems", () => {
    const { Order, orderConversion, orders, gate } = parts;

    const problems = problemsOf({
      name: "Shop_Operator",
      version: "1",
      image: "a b",
      resources: [Order, Order],
      flags: {
        "max-users": flag.integer({ default: 1, help: "" }),
        grace: flag.text({ default: "", help: "" }),
        other: flag.text({ default: "", help: "", env: "LOG_LEVEL" }),
      },
      controllers: [orders, orders],
      webhooks: [gate, gate],
      access: [
        { type: ConfigMap, verbs: ["*"] },
        { type: Node, verbs: [] },
      ],
    });

    const expected = [
      /^name a lowercase|^name .*DNS|^name /,
      /^version is "1"; use a semantic version/,
      /^image is "a b"/,
      /^flags\.max-users is not a valid flag name/,
      /^flags\.grace is a flag that every operator has/,
      /^flags\.other reads the environment variable LOG_LEVEL/,
      /^resources\[1\] is orders\.shop\.example\.com, which duplicates resources\[0\]/,
      /^resources\[0\] orders\.shop\.example\.com stores v2 and serves v1 with another schema, but has no conversion/,
      /^controllers\[1\] is orders, which duplicates controllers\[0\]/,
      /^webhooks\[1\] is \/validate-shop-example-com-v2-order/,
      /^access\[0\] has the wildcard verb/,
      /^access\[1\] has no verbs/,
    ];
    for (const pattern of expected) {
      assert.ok(
        problems.some((problem) => pattern.test(problem)),
        `${pattern} in\n${problems.join("\n")}`,
      );
    }
    assert.deepEqual(problemsOf({ name: "a", resources: [Order], conversions: [orderConversion] }), []);
  });

  it("refuses controllers, webhooks and conversions for a custom resource that is not installed", () => {
    const { Order, Shop, orders, orderConversion, gate } = parts;

    assert.deepEqual(
      problemsOf({ name: "a", controllers: [orders], webhooks: [gate], conversions: [orderConversion] }),
      [
        "conversions[0] is for orders.shop.example.com, which is not in resources; add it there.",
        "webhooks[0] is for orders.shop.example.com, which is not installed; add it to resources, or to uses if it is installed separately.",
        "controllers[0] is for orders.shop.example.com, which is not installed; add it to resources, or to uses if it is installed separately.",
      ],
    );
    assert.deepEqual(problemsOf({ name: "a", controllers: [orders], uses: [Order, Shop] }), []);
  });

  it("refuses a name that leaves no room for suffixes", () => {
    assert.deepEqual(problemsOf({ name: "a".repeat(41) }), [
      "name has 41 characters; at most 40 are allowed, to leave room for suffixes.",
    ]);
  });
});

describe("inNamespaces", () => {
  it("returns the controllers unchanged when no namespace is given", () => {
    assert.deepEqual(inNamespaces([parts.orders], []), [parts.orders]);
  });

  it("narrows reads and permissions to the namespace, except for cluster-scoped kinds", () => {
    const controller = defineController({
      for: ConfigMap,
      owns: { copies: applied(ConfigMap) },
      access: [{ type: Node, verbs: ["get"] }],
      async reconcile() {},
    });

    const [narrow] = inNamespaces([controller], ["a"]);

    assert.equal(narrow?.name, "configmaps");
    assert.deepEqual(narrow && accessOf(narrow).map(({ resource, namespace }) => [resource, namespace]), [
      ["configmaps", "a"],
      ["configmaps", "a"],
      ["nodes", undefined],
    ]);
  });

  it("returns one controller per namespace, with its own name and the same field manager", () => {
    const narrow = inNamespaces([parts.orders, parts.shops], ["a", "b"]);

    assert.deepEqual(
      narrow.map(({ name, fieldManager, definition }) => [name, fieldManager, definition.select?.namespace]),
      [
        ["orders-a", "orders", "a"],
        ["orders-b", "orders", "b"],
        ["shops", "shops", undefined],
      ],
    );
  });

  it("keeps the namespace that a definition selects", () => {
    const fixed = defineController({ for: ConfigMap, select: { namespace: "kube-system" }, async reconcile() {} });

    assert.deepEqual(inNamespaces([fixed], ["a"]), [fixed]);
  });
});
