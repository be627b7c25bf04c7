import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { s } from "../builder/s.ts";
import { formatProblem } from "../problem/problem.ts";
import { defineResource } from "./define-resource.ts";
import { DefinitionError } from "../problem/definition-error.ts";
import { ageColumn } from "./definition.ts";
import { InvalidObjectError } from "./invalid-object-error.ts";
import { toCrd } from "./to-crd.ts";

const Tenant = defineResource({
  group: "shop.example.com",
  version: "v1",
  kind: "Tenant",
  scope: "Cluster",
  shortNames: ["tn"],
  name: s.string().max(20),
  spec: {
    displayName: s.string().max(63),
    plan: s.enum("free", "team").default("free").immutable(),
    replicas: s.int().min(0).max(9).default(1),
    redis: s.object({ memory: s.quantity(), persistent: s.bool().default(true) }).optional(),
  },
  status: { url: s.string().optional() },
  conditions: ["Ready"],
  rules: [{ rule: "self.spec.plan != 'free' || self.spec.replicas <= 1", message: "free plan runs one replica" }],
  columns: [{ name: "Plan", jsonPath: ".spec.plan" }, { name: "Ready", condition: "Ready" }, ageColumn],
});
const acme = Tenant.make({ metadata: { name: "acme" }, spec: { displayName: "Acme" } });

/** Returns the formatted problems of a definition. */
function problemsOf(define: () => unknown): string[] {
  try {
    define();
  } catch (error) {
    if (error instanceof DefinitionError) return error.problems.map(formatProblem);
    throw error;
  }
  return [];
}

describe("a resource", () => {
  it("has the properties of a resource type that clients need", () => {
    const { group, version, kind, plural, scope, apiVersion } = Tenant;

    assert.deepEqual(
      { group, version, kind, plural, scope, apiVersion },
      {
        group: "shop.example.com",
        version: "v1",
        kind: "Tenant",
        plural: "tenants",
        scope: "Cluster",
        apiVersion: "shop.example.com/v1",
      },
    );
  });

  it("creates objects of its kind", () => {
    assert.deepEqual(acme, {
      apiVersion: "shop.example.com/v1",
      kind: "Tenant",
      metadata: { name: "acme" },
      spec: { displayName: "Acme" },
    });
  });

  it("returns a copy with defaults and without unknown fields", () => {
    const given = { ...acme, spec: { displayName: "Acme", redis: { memory: 1 }, extra: 1 } };

    const { spec } = Tenant.default(given);

    assert.deepEqual(spec, {
      displayName: "Acme",
      plan: "free",
      replicas: 1,
      redis: { memory: 1, persistent: true },
    });
    spec.displayName = "changed";
    assert.equal(given.spec.displayName, "Acme");
  });

  it("reports all problems of an object at once, with the messages of the API server", () => {
    const problems = Tenant.check({ ...acme, spec: { replicas: 10, plan: "gold", redis: { memory: "1x" } } });

    assert.deepEqual(problems.map(({ path }) => path).sort(), [
      "",
      "spec.displayName",
      "spec.plan",
      "spec.redis.memory",
      "spec.replicas",
    ]);
    assert.ok(problems.map(formatProblem).includes("spec.displayName: Required value"));
  });

  it("reports only the size of a list or map with over 1,000 entries that exceeds its limit, not its entries", () => {
    const Site = defineResource({
      group: "shop.example.com",
      version: "v1",
      kind: "Site",
      spec: { labels: s.map(s.string()).max(2), hosts: s.list(s.string()).atomic().max(2) },
    });
    const check = (count: number): string[] => {
      const hosts = Array.from({ length: count }, (_, index) => (index === 0 ? 1 : "a"));
      const labels = Object.fromEntries(hosts.map((host, index) => [`k${index}`, host]));
      return Site.check({
        apiVersion: "shop.example.com/v1",
        kind: "Site",
        metadata: { name: "a" },
        spec: { labels, hosts },
      })
        .filter(({ type }) => type === "TooMany" || type === "TypeInvalid")
        .map(({ path, type }) => `${path} ${type}`)
        .toSorted();
    };

    assert.deepEqual(check(2), ["spec.hosts[0] TypeInvalid", "spec.labels.k0 TypeInvalid"]);
    assert.deepEqual(check(1_000), [
      "spec.hosts TooMany",
      "spec.hosts[0] TypeInvalid",
      "spec.labels TooMany",
      "spec.labels.k0 TypeInvalid",
    ]);
    assert.deepEqual(check(1_001), ["spec.hosts TooMany", "spec.labels TooMany"]);
  });

  it("checks rules, and with an old object also transition rules", () => {
    const two = { ...acme, spec: { displayName: "Acme", replicas: 2 } };
    const team = { ...acme, spec: { displayName: "Acme", plan: "team" } };

    assert.deepEqual(Tenant.check(acme), []);
    assert.match(Tenant.check(two).map(formatProblem).join(), /free plan runs one replica/);
    assert.deepEqual(Tenant.check(team), []);
    assert.deepEqual(Tenant.check(team, { old: acme }).map(formatProblem), [
      'spec.plan: Invalid value: "team": field is immutable',
    ]);
  });

  it("checks metadata.name against the name field of the definition", () => {
    const [first] = Tenant.check({ ...acme, metadata: { name: "x".repeat(21) } });

    assert.equal(first?.path, "metadata.name");
  });

  it("checks metadata, but allows a missing namespace", () => {
    const Job = defineResource({ group: "a.example", version: "v1", kind: "Job" });
    const check = (resource: { check: typeof Job.check }, kind: object, metadata: object) =>
      resource.check({ ...kind, metadata }).map(({ path }) => path);
    const job = { apiVersion: "a.example/v1", kind: "Job" };

    assert.deepEqual(check(Job, job, { name: "a" }), []);
    assert.deepEqual(check(Job, job, { generateName: "a-" }), []);
    assert.deepEqual(check(Job, job, {}), ["metadata.name"]);
    assert.deepEqual(check(Job, job, { name: "A", labels: { "a b": "c" } }), ["metadata.name", "metadata.labels"]);
    assert.deepEqual(check(Job, job, { name: "a", namespace: "a.b" }), ["metadata.namespace"]);
    assert.deepEqual(check(Tenant, acme, { name: "a", namespace: "b" }), ["metadata.namespace"]);
  });

  it("checks the replica counts of the scale subresource", () => {
    const Group = defineResource({
      group: "a.example",
      version: "v1",
      kind: "Group",
      spec: { replicas: s.int64() },
      status: { replicas: s.int64().optional() },
      scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
    });
    const check = (spec: number, status: number) =>
      Group.check(Group.make({ metadata: { name: "a" }, spec: { replicas: spec }, status: { replicas: status } })).map(
        formatProblem,
      );

    assert.deepEqual(check(0, 2 ** 31 - 1), []);
    assert.deepEqual(check(-1, 2 ** 31), [
      ".spec.replicas: Invalid value: -1: should be a non-negative integer",
      ".status.replicas: Invalid value: 2147483648: should be less than or equal to 2147483647",
    ]);
  });

  it("rejects objects of another kind", () => {
    const other = { ...acme, apiVersion: "shop.example.com/v2", kind: "Tent" };

    assert.deepEqual(
      Tenant.check(other).map(({ path }) => path),
      ["kind", "apiVersion"],
    );
    assert.throws(() => Tenant.parse(other), InvalidObjectError);
    for (const value of [null, undefined, 1, "x", []]) assert.ok(Tenant.check(value).length > 0);
  });

  it("parses an unknown value, or throws an error with all problems", () => {
    const parsed = Tenant.parse(JSON.parse(JSON.stringify(acme)));

    assert.equal(parsed.spec.replicas, 1);
    assert.throws(() => Tenant.parse({ ...acme, spec: { plan: 1 } }), {
      code: "INVALID_OBJECT",
      message: /Tenant acme is invalid[\s\S]*spec\.plan[\s\S]*spec\.displayName: Required value/,
    });
  });

  it("infers the types of columns from the schema", () => {
    assert.deepEqual(Tenant.columns, [
      { name: "Plan", type: "string", jsonPath: ".spec.plan" },
      { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
      { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
    ]);
  });

  it("completes the default of an object with the defaults of its fields", () => {
    const { schema } = defineResource({
      group: "a.example",
      version: "v1",
      kind: "Preset",
      spec: s
        .object({
          size: s.int().default(1),
          pools: s
            .list(s.object({ name: s.string(), zone: s.string().default("a") }))
            .mapBy("name")
            .default([{ name: "x" }]),
        })
        .rule({ rule: "self.size > 0" })
        .default({}),
    });

    assert.deepEqual(schema.properties?.["spec"]?.default, { size: 1, pools: [{ name: "x", zone: "a" }] });
  });
});

const base = { group: "a.example", version: "v1", kind: "Wrong" } as const;

describe("a definition", () => {
  it("is rejected with all its problems", () => {
    const problems = problemsOf(() =>
      defineResource({
        group: "nodots",
        version: "V1",
        kind: "wrong",
        shortNames: ["a", "a"],
        spec: { size: s.int().max(1).default(2) },
        columns: [{ name: "Phase", jsonPath: ".status.phase" }],
        selectableFields: [".spec.none"],
        deprecationWarning: "old",
      }),
    );

    const paths = problems.map((problem) => problem.split(":")[0]);
    for (const path of [
      "group",
      "version",
      "kind",
      "listKind",
      "shortNames[1]",
      "columns[0].jsonPath",
      "selectableFields[0]",
      "deprecationWarning",
    ]) {
      assert.ok(paths.includes(path), `${path} in ${problems.join("\n")}`);
    }
    assert.ok(
      problems.some((problem) => problem.includes("spec.size.default")),
      problems.join("\n"),
    );
  });

  it("must have exactly one storage version and at least one served version", () => {
    const two = { v1: { storage: true }, v2: { storage: true } } as const;
    const none = { v1: {}, v2: {} } as const;
    const unserved = { v1: { storage: true, served: false } } as const;

    assert.match(
      problemsOf(() => defineResource({ group: "a.example", kind: "Wrong", versions: two })).join(),
      /exactly one version/,
    );
    assert.match(
      problemsOf(() => defineResource({ group: "a.example", kind: "Wrong", versions: none })).join(),
      /exactly one version/,
    );
    assert.match(
      problemsOf(() => defineResource({ group: "a.example", kind: "Wrong", versions: unserved })).join(),
      /at least one version/,
    );
  });

  it("reports problems with the name of the version", () => {
    const problems = problemsOf(() =>
      defineResource({
        group: "a.example",
        kind: "Wrong",
        versions: { v1: { columns: [{ name: "X", jsonPath: ".spec.x" }] }, v2: { storage: true } },
      }),
    );

    assert.deepEqual(problems, [
      'versions.v1.columns[0].jsonPath: Invalid value: ".spec.x": the schema has no such field',
    ]);
  });

  it("must have columns with valid paths or conditions", () => {
    const spec = { a: s.int(), free: s.opaque() };

    assert.deepEqual(
      problemsOf(() =>
        defineResource({
          ...base,
          spec,
          conditions: ["Ready"],
          columns: [
            { name: "A", jsonPath: ".spec.a" },
            { name: "A", jsonPath: ".spec.free.x.y" },
            { name: "", jsonPath: ".metadata.name" },
            { name: "B", jsonPath: ".spec.b" },
            { name: "C", jsonPath: "..a" },
            { name: "D" },
            { name: "E", condition: "Ready", jsonPath: ".spec.a" },
          ],
        }),
      ),
      [
        'columns[1].name: Duplicate value: "A"',
        "columns[2].name: Required value",
        'columns[3].jsonPath: Invalid value: ".spec.b": the schema has no such field',
        "columns[4].jsonPath: Invalid value: \"..a\": must consist of .name, ['name'], [0], [*] and [?(...)]",
        "columns[5].jsonPath: Required value: set jsonPath or condition",
        "columns[6].jsonPath: Forbidden: must not be set together with condition",
      ],
    );
  });

  it("must have integer fields for scale and scalar fields as selectable fields", () => {
    const spec = { replicas: s.string(), list: s.list(s.string()).set(), ok: s.bool(), share: s.number() };
    const problems = problemsOf(() =>
      defineResource({
        ...base,
        spec,
        scale: {
          specReplicasPath: ".spec.replicas",
          statusReplicasPath: ".status.replicas",
          labelSelectorPath: ".spec.ok",
        },
        selectableFields: [".spec.ok", ".spec.ok", ".spec.list", ".spec.list[0]", ".spec.share", ".metadata.name"],
      }),
    );

    assert.deepEqual(
      problems.map((problem) => problem.split(": ")[0]),
      [
        "status",
        "scale.specReplicasPath",
        "scale.statusReplicasPath",
        "scale.labelSelectorPath",
        "selectableFields[1]",
        "selectableFields[2]",
        "selectableFields[3]",
        "selectableFields[4]",
        "selectableFields[5]",
      ],
    );
  });

  it("must not have more than eight selectable fields", () => {
    const names = Array.from({ length: 9 }, (_, index) => `f${index}`);
    const spec = Object.fromEntries(names.map((name) => [name, s.string()]));

    const problems = problemsOf(() =>
      defineResource({ ...base, spec, selectableFields: names.map((name) => `.spec.${name}` as const) }),
    );

    assert.deepEqual(problems, ["selectableFields: Too many: 9: must have at most 8 items"]);
  });

  it("must have objects as spec and status, and CamelCase condition types", () => {
    const problems = problemsOf(() =>
      defineResource({ ...base, spec: s.string(), conditions: ["ready", "Ready", "Ready"] }),
    );

    assert.deepEqual(problems, [
      "spec: Invalid value: must be an object",
      'conditions[0]: Invalid value: "ready": must be CamelCase: letters and digits, starting with an uppercase letter',
      'conditions[2]: Duplicate value: "Ready"',
    ]);
  });

  it("checks the types and reasons of conditions, and accepts other reasons in objects", () => {
    const problems = problemsOf(() =>
      defineResource({ ...base, conditions: { ready: ["Up", "Up"], Ready: ["not up"], Empty: [] } }),
    );
    const Site = defineResource({ ...base, conditions: { Ready: ["RolloutComplete"] } });
    const condition = { type: "Ready", status: "True", reason: "OlderReason", message: "" };
    const stored = { apiVersion: Site.apiVersion, kind: Site.kind, metadata: { name: "a" } };

    assert.deepEqual(problems, [
      'conditions.ready: Invalid value: "ready": must be CamelCase: letters and digits, starting with an uppercase letter',
      'conditions.ready[1]: Duplicate value: "Up"',
      'conditions.Ready[0]: Invalid value: "not up": must be CamelCase: letters and digits, starting with an uppercase letter',
      "conditions.Empty: Required value: list at least one reason of the condition",
    ]);
    assert.deepEqual(
      Site.check({
        ...stored,
        status: { conditions: [{ ...condition, lastTransitionTime: "2026-01-01T00:00:00Z" }] },
      }),
      [],
    );
    assert.deepEqual(Site.schema, defineResource({ ...base, conditions: ["Ready"] }).schema);
  });

  it("must not define conditions both as a field and as conditions", () => {
    const problems = problemsOf(() =>
      defineResource({ ...base, status: { conditions: s.string() }, conditions: ["Ready"] }),
    );

    assert.deepEqual(problems, ["conditions: Invalid value: the object already has a field of this name"]);
  });

  it("must have a deprecation warning of one printable line", () => {
    const warn = (deprecationWarning: string) =>
      problemsOf(() => defineResource({ ...base, deprecated: true, deprecationWarning }));

    assert.deepEqual(warn("use v2"), []);
    for (const warning of ["", "a\nb", "x".repeat(257), "ü".repeat(129), "\u200b"])
      assert.equal(warn(warning).length, 1, warning);
  });

  it("must have rules that compile, stay below the cost limit, and can be correlated", () => {
    const withSpec = (spec: Parameters<typeof s.object>[0]) => problemsOf(() => defineResource({ ...base, spec }));
    const wrong: [string, Parameters<typeof s.object>[0], RegExp][] = [
      ["no such field", { a: s.int().rule({ rule: "self.b > 1" }) }, /rule/],
      ["no truth value", { a: s.int().rule({ rule: "self + 1" }) }, /rule/],
      ["no syntax", { a: s.int().rule({ rule: "self >" }) }, /rule/],
      [
        "too costly",
        { a: s.list(s.list(s.string().rule({ rule: "self.matches('a')" })).atomic()).atomic() },
        /cost|budget/,
      ],
      [
        "unknown past",
        {
          a: s
            .list(s.object({ b: s.string().max(5).immutable() }))
            .atomic()
            .max(5),
        },
        /oldSelf|correlat/,
      ],
      ["unknown field of a path", { a: s.object({}).rule({ rule: "true", fieldPath: ".b" }) }, /fieldPath/],
      ["odd name", { "3rd": s.string().immutable().optional() }, /rule/],
    ];

    for (const [name, spec, words] of wrong) assert.match(withSpec(spec).join("\n"), words, name);
  });

  it("must have defaults that satisfy its own schema", () => {
    const withSpec = (spec: Parameters<typeof s.object>[0]) => problemsOf(() => defineResource({ ...base, spec }));

    assert.equal(withSpec({ a: s.int().min(1).default(0) }).length, 1);
    assert.equal(withSpec({ a: s.string().pattern("^a$").default("b") }).length, 1);
    assert.equal(withSpec({ a: s.string().max(5).rule({ rule: "self != 'x'" }).default("x") }).length, 1);
    assert.equal(withSpec({ a: s.list(s.string()).set().default(["a", "a"]) }).length, 0, "the server takes it too");
  });

  it("must have sets of scalars, and patterns that are valid RE2", () => {
    const withSpec = (spec: Parameters<typeof s.object>[0]) => problemsOf(() => defineResource({ ...base, spec }));

    assert.equal(withSpec({ a: s.list(s.object({ b: s.string() })).set() }).length, 1);
    assert.equal(withSpec({ a: s.list(s.object({ b: s.string() }).atomic()).set() }).length, 0);
    assert.equal(withSpec({ a: s.string().pattern("(?=a)") }).length, 1);
    assert.equal(withSpec({ a: s.string().pattern("(") }).length, 1);
  });
});

describe("a definition with deferred schema checks", () => {
  const definition = {
    group: "shop.example.com",
    version: "v1",
    kind: "Tenant",
    schemaChecks: "deferred",
    spec: { plan: s.string().default("free"), replicas: s.int() },
    rules: [{ rule: "self.spec.size > 1" }],
  } as const;

  it("throws problems of rules when the CRD is written or an object is validated", () => {
    const Bad = defineResource(definition);
    const object = Bad.make({ metadata: { name: "a" }, spec: { replicas: 1 } });

    const uses = [() => Bad.crd(), () => toCrd(Bad), () => Bad.check(object), () => Bad.parse(object)];

    for (const use of uses) assert.match(problemsOf(use).join(), /undefined field 'size'/);
  });

  it("applies defaults without a check", () => {
    const Bad = defineResource(definition);

    const { spec } = Bad.default(Bad.make({ metadata: { name: "a" }, spec: { replicas: 1 } }));

    assert.deepEqual(spec, { plan: "free", replicas: 1 });
  });

  it("throws problems of names at once", () => {
    assert.match(problemsOf(() => defineResource({ ...definition, group: "Shop" })).join(), /^group: /);
  });

  it("prefixes the problems with the version if there are several", () => {
    const { spec, rules } = definition;
    const Bad = defineResource({
      group: "shop.example.com",
      kind: "Tenant",
      schemaChecks: "deferred",
      versions: { v1: { spec, storage: true }, v2: { spec, rules } },
    });

    assert.match(problemsOf(() => Bad.crd()).join(), /^versions\.v2\.rules\[0\]/);
  });
});
