import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { s } from "../builder/s.ts";
import { sampleResources } from "../testing/sample-resources.ts";
import { defineResource } from "../resource/define-resource.ts";
import { toReference } from "./reference.ts";

const Tenant = defineResource({
  group: "shop.example.com",
  version: "v1",
  kind: "Tenant",
  shortNames: ["tn"],
  description: "A customer.",
  spec: {
    plan: s.enum("free", "team").default("free").describe("What is paid for."),
    replicas: s.int().min(0).max(9).describe("How many.\nAt night fewer."),
    ports: s
      .list(s.object({ name: s.string().max(15), port: s.intOrString() }))
      .mapBy("name")
      .max(5)
      .optional(),
    labels: s.map(s.string().pattern("a|b")).max(3).optional(),
    template: s.object({ inner: s.string() }).optional(),
  },
  rules: [{ rule: "self.spec.replicas > 0", message: "at least one" }],
});

describe("toReference", () => {
  it("does not print long defaults, which would make every row as wide", () => {
    const kind = (text: string) =>
      defineResource({ group: "a.example.com", version: "v1", kind: "A", spec: { text: s.string().default(text) } });

    assert.match(toReference(kind("x".repeat(398))), /\| string \| `"x{398}"` \|/);
    assert.match(toReference(kind("x".repeat(399))), /\| string \| see the CRD \|/);
  });

  it("lists fields with types, defaults and descriptions, and the rules", () => {
    assert.equal(
      toReference(Tenant, { closed: ["spec.template"] }),
      [
        "# Tenant",
        "",
        "`tenants.shop.example.com`, namespaced, short name `tn`",
        "",
        "## v1 (stored)",
        "",
        "A customer.",
        "",
        "| field | type | default | description |",
        "| --- | --- | --- | --- |",
        "| `spec` | object | required | Desired state. |",
        '| `spec.plan` | `"free"`, `"team"` | `"free"` | What is paid for. |',
        "| `spec.replicas` | integer, >= 0, <= 9 | required | How many. At night fewer. |",
        "| `spec.ports` | map list of object, at most 5 items |  |  |",
        "| `spec.ports[].name` | string, at most 15 characters | required |  |",
        "| `spec.ports[].port` | integer or string | required |  |",
        "| `spec.labels` | map of string, at most 3 keys |  |  |",
        "| `spec.template` | object |  |  |",
        "",
        "- at least one (`self.spec.replicas > 0`)",
        "",
      ].join("\n"),
    );
  });

  it("writes patterns with backticks as code that formatters leave as it is", () => {
    const resource = defineResource({
      group: "shop.example.com",
      version: "v1",
      kind: "Note",
      spec: { inside: s.string().pattern("a`b").optional(), edge: s.string().pattern("`a").optional() },
    });

    const page = toReference(resource);

    assert.match(page, /`spec\.inside` \| string, matches ``a`b`` /);
    assert.match(page, /`spec\.edge` \| string, matches `` `a `` /);
  });

  it("writes table rows with four cells for every sample resource", () => {
    for (const resource of sampleResources) {
      const rows = toReference(resource)
        .split("\n")
        .filter((line) => line.startsWith("|"));

      for (const row of rows) assert.equal(row.replaceAll("\\|", "").split("|").length, 6, row);
    }
  });
});
