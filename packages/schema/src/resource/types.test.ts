// Tests of the TypeScript types of resources. Most of this file is checked at compile time.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { DeepReadonly, ObjectMeta, ObjectOf, ResourceType } from "@homeostat/core";
import { s } from "../builder/s.ts";
import type { Condition } from "./conditions.ts";
import { defineResource } from "./define-resource.ts";
import type { InputOf, Resource } from "./resource.ts";

/** True only for identical types: optional, readonly and `any` are distinguished. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the compiler compares such functions by identity of their types
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

const Tenant = defineResource({
  group: "neural.example",
  version: "v1",
  kind: "Tenant",
  scope: "Cluster",
  spec: {
    displayName: s.string().max(63),
    plan: s.enum("free", "team").default("free").immutable(),
    replicas: s.int().min(0).max(9).default(1),
    redis: s.object({ memory: s.quantity(), persistent: s.bool().optional() }).optional(),
  },
  status: { phase: s.enum("Pending", "Ready").optional(), url: s.string().optional() },
  rules: [{ rule: "self.spec.plan != 'free' || self.spec.replicas <= 1", message: "free plan runs one replica" }],
  conditions: ["Ready", "RedisReady"],
});

const LoadTest = defineResource({
  group: "load.example.com",
  kind: "LoadTest",
  versions: {
    v1: { deprecated: true, spec: { image: s.string(), workers: s.int().default(1) } },
    v2: {
      storage: true,
      spec: s.object({ image: s.string().optional() }).default({}),
      status: s.object({ phase: s.string().default("New") }).default({}),
      conditions: ["Ready"],
    },
  },
});

describe("the types of a resource", () => {
  it("complete a cached object that has a field of any JSON", () => {
    const Patch = defineResource({
      group: "example.com",
      version: "v1",
      kind: "Patch",
      spec: { values: s.list(s.object({ value: s.json() })).atomic(), count: s.int().default(1) },
    });
    const cached: DeepReadonly<ObjectOf<typeof Patch>> = Patch.parse(
      Patch.make({ metadata: { name: "a" }, spec: { values: [{ value: { a: [1] } }] } }),
    );

    assert.deepEqual(Patch.default(cached).spec, { values: [{ value: { a: [1] } }], count: 1 });
  });

  it("differ for reading and writing", () => {
    assert.ok(
      true satisfies Equal<
        ObjectOf<typeof Tenant>,
        {
          apiVersion: "neural.example/v1";
          kind: "Tenant";
          metadata: ObjectMeta;
          spec: {
            displayName: string;
            plan: "free" | "team";
            replicas: number;
            redis?: { memory: number | string; persistent?: boolean };
          };
          status?: { phase?: "Pending" | "Ready"; url?: string; conditions?: Condition<"Ready" | "RedisReady">[] };
        }
      >,
    );
    assert.ok(
      true satisfies Equal<
        InputOf<typeof Tenant>,
        {
          apiVersion: "neural.example/v1";
          kind: "Tenant";
          metadata: ObjectMeta;
          spec: {
            displayName: string;
            plan?: "free" | "team";
            replicas?: number;
            redis?: { memory: number | string; persistent?: boolean };
          };
          status?: { phase?: "Pending" | "Ready"; url?: string; conditions?: Condition<"Ready" | "RedisReady">[] };
        }
      >,
    );
  });

  it("are those of the storage version, and available for each version by its name", () => {
    assert.ok(
      true satisfies Equal<
        ObjectOf<typeof LoadTest>,
        {
          apiVersion: "load.example.com/v2";
          kind: "LoadTest";
          metadata: ObjectMeta;
          spec: { image?: string };
          status: { phase: string; conditions?: Condition<"Ready">[] };
        }
      >,
    );
    assert.ok(
      true satisfies Equal<
        InputOf<typeof LoadTest>,
        {
          apiVersion: "load.example.com/v2";
          kind: "LoadTest";
          metadata: ObjectMeta;
          spec?: { image?: string };
          status?: { phase?: string; conditions?: Condition<"Ready">[] };
        }
      >,
    );
    assert.ok(
      true satisfies Equal<
        ObjectOf<(typeof LoadTest)["versions"]["v1"]>,
        {
          apiVersion: "load.example.com/v1";
          kind: "LoadTest";
          metadata: ObjectMeta;
          spec: { image: string; workers: number };
        }
      >,
    );
  });

  it("omit the parts that a kind does not have", () => {
    const Bare = defineResource({ group: "a.example", version: "v1", kind: "Bare" });
    const OnlyConditions = defineResource({ group: "a.example", version: "v1", kind: "Only", conditions: ["Ready"] });

    assert.ok(
      true satisfies Equal<ObjectOf<typeof Bare>, { apiVersion: "a.example/v1"; kind: "Bare"; metadata: ObjectMeta }>,
    );
    assert.ok(
      true satisfies Equal<
        ObjectOf<typeof OnlyConditions>,
        {
          apiVersion: "a.example/v1";
          kind: "Only";
          metadata: ObjectMeta;
          status?: { conditions?: Condition<"Ready">[] };
        }
      >,
    );
  });

  it("contain the reasons of conditions, by condition type", () => {
    const Site = defineResource({
      group: "a.example",
      version: "v1",
      kind: "Site",
      conditions: { Ready: ["RolloutComplete", "Waiting"], Degraded: ["ImagePull"] },
      columns: [{ name: "Ready", condition: "Ready" }],
    });
    const Several = defineResource({
      group: "a.example",
      kind: "Several",
      versions: { v1: { storage: true, conditions: { Ready: ["Waiting"] } }, v2: { conditions: ["Ready"] } },
    });
    type SiteCondition = Condition<"Ready", "RolloutComplete" | "Waiting"> | Condition<"Degraded", "ImagePull">;

    assert.ok(
      true satisfies Equal<
        ObjectOf<typeof Site>,
        {
          apiVersion: "a.example/v1";
          kind: "Site";
          metadata: ObjectMeta;
          status?: { conditions?: SiteCondition[] };
        }
      >,
    );
    assert.ok(
      true satisfies Equal<
        NonNullable<NonNullable<ObjectOf<typeof Several>["status"]>["conditions"]>[number],
        Condition<"Ready", "Waiting">
      >,
    );
    assert.ok(
      true satisfies Equal<
        NonNullable<NonNullable<ObjectOf<(typeof Several)["versions"]["v2"]>["status"]>["conditions"]>[number],
        Condition<"Ready">
      >,
    );
    assert.deepEqual(Site.conditions, { Ready: ["RolloutComplete", "Waiting"], Degraded: ["ImagePull"] });
    assert.deepEqual(Several.versions.v2.conditions, { Ready: [] });
  });

  it("allow a resource wherever a ResourceType is expected", () => {
    const type: ResourceType<ObjectOf<typeof Tenant>> = Tenant;
    const any: ResourceType = Tenant;
    const every: readonly Resource[] = [Tenant, LoadTest];

    assert.ok(true satisfies Equal<(typeof Tenant)["scope"], "Cluster">);
    assert.ok(true satisfies Equal<(typeof LoadTest)["scope"], "Namespaced">);
    assert.ok(true satisfies Equal<(typeof LoadTest)["versions"]["v1"]["scope"], "Namespaced">);
    assert.equal(type.plural, "tenants");
    assert.equal(any.kind, "Tenant");
    assert.equal(every.length, 2);
  });

  it("allow default() on objects that were read and on objects to be written", () => {
    const made = Tenant.make({ metadata: { name: "a" }, spec: { displayName: "A" } });
    const read: DeepReadonly<ObjectOf<typeof Tenant>> = Tenant.default(made);
    const again: ObjectOf<typeof Tenant> = Tenant.default(read);

    assert.equal(again.spec.plan, "free");
    // @ts-expect-error there is no such plan
    const wrong = (): unknown => Tenant.default({ ...made, spec: { displayName: "A", plan: "gold" } });
    assert.equal(typeof wrong, "function");
  });

  it("reject invalid objects", () => {
    const never = (read: DeepReadonly<ObjectOf<typeof Tenant>>): void => {
      // @ts-expect-error what is read is read-only
      read.spec.replicas = 3;
      // @ts-expect-error there is no such field
      assert.ok(read.spec.replica);
      // @ts-expect-error there is no such phase
      assert.ok(read.status?.phase === "Running");
      // @ts-expect-error there is no such condition
      assert.ok(read.status?.conditions?.find(({ type }) => type === "Redy"));
      // @ts-expect-error displayName is required
      Tenant.make({ metadata: { name: "a" }, spec: {} });
      // @ts-expect-error there is no such plan
      Tenant.make({ metadata: { name: "a" }, spec: { displayName: "A", plan: "gold" } });
      // @ts-expect-error there is no such field
      Tenant.make({ metadata: { name: "a" }, spec: { displayName: "A", size: 1 } });
      Tenant.make({ metadata: { name: "a" }, spec: { displayName: "A" } });
    };

    assert.equal(typeof never, "function");
  });

  it("reject invalid definitions at the invalid property", () => {
    const base = { group: "a.example", version: "v1", kind: "Wrong" } as const;
    const never = (): void => {
      // @ts-expect-error the word is shortNames
      defineResource({ ...base, shortName: ["w"] });
      // @ts-expect-error a path starts with a dot
      defineResource({ ...base, columns: [{ name: "X", jsonPath: "status.x" }] });
      // @ts-expect-error there is no such column type
      defineResource({ ...base, columns: [{ name: "X", jsonPath: ".status.x", type: "text" }] });
      // @ts-expect-error there is no such condition
      defineResource({ ...base, conditions: ["Ready"], columns: [{ name: "X", condition: "Redy" }] });
      // @ts-expect-error the kind declares no such condition
      defineResource({ ...base, conditions: { Ready: ["Up"] }, columns: [{ name: "X", condition: "Redy" }] });
      // @ts-expect-error reasons are a list
      defineResource({ ...base, conditions: { Ready: "Up" } });
      // @ts-expect-error there is no such scope
      defineResource({ ...base, scope: "cluster" });
      // @ts-expect-error the replicas of the status are missing
      defineResource({ ...base, scale: { specReplicasPath: ".spec.replicas" } });
      // @ts-expect-error replicas of the spec stand in the spec
      defineResource({ ...base, scale: { specReplicasPath: ".status.a", statusReplicasPath: ".status.a" } });
      // @ts-expect-error a list must say how it merges
      defineResource({ ...base, spec: { tags: s.list(s.string()) } });
      // @ts-expect-error a field comes from the builder
      defineResource({ ...base, spec: { replicas: 3 } });
      // @ts-expect-error there is neither version nor versions
      defineResource({ group: "a.example", kind: "Wrong", spec: {} });
      // @ts-expect-error the spec belongs to a version
      defineResource({ group: "a.example", kind: "Wrong", versions: { v1: { storage: true } }, spec: {} });
      // @ts-expect-error the word is columns
      defineResource({ group: "a.example", kind: "Wrong", versions: { v1: { storage: true, column: [] } } });
      // @ts-expect-error a name is a string
      defineResource({ ...base, name: s.int() });
    };

    assert.equal(typeof never, "function");
  });
});
