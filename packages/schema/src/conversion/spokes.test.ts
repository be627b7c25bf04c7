import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { s } from "../builder/s.ts";
import { defineResource } from "../resource/define-resource.ts";
import { defineConversion } from "./define-conversion.ts";
import { checkRoundTrips } from "./round-trip.ts";

function withoutC({ a, b }: { a?: string; b?: string }): { a?: string; b?: string } {
  return { ...(a !== undefined && { a }), ...(b !== undefined && { b }) };
}

describe("a conversion with several spokes", () => {
  const Three = defineResource({
    group: "three.example.com",
    kind: "Three",
    versions: {
      v1: { spec: { a: s.string().optional(), old: s.string().optional() } },
      v2: { spec: { a: s.string().optional(), b: s.string().optional() } },
      v3: { storage: true, spec: { a: s.string().optional(), b: s.string().optional(), c: s.string().optional() } },
    },
  });
  const three = defineConversion(Three, {
    hub: "v3",
    spokes: {
      v1: {
        toHub: ({ spec }) => ({ spec: { ...(spec.a !== undefined && { a: spec.a }) } }),
        fromHub: ({ spec }) => ({ spec: { ...(spec.a !== undefined && { a: spec.a }) } }),
        keepSpoke: true,
      },
      v2: {
        toHub: ({ spec }) => ({ spec }),
        fromHub: ({ spec }) => ({ spec: withoutC(spec) }),
      },
    },
    annotation: (version) => `kept.example.com/${version}`,
  });
  const make = (version: string, spec: object) => ({
    apiVersion: `three.example.com/${version}`,
    kind: "Three",
    metadata: { name: "x" },
    spec,
  });

  it("converts from spoke to spoke through the hub without losses", () => {
    const oldest = make("v1", { a: "1", old: "2" });

    const middle = three.convert(oldest, "three.example.com/v2").object;
    const back = three.convert(middle, "three.example.com/v1").object;

    assert.deepEqual(middle.metadata.annotations, { "kept.example.com/v1": '[{"at":["spec","old"],"is":"2"}]' });
    assert.deepEqual(back, oldest);
  });

  it("is lossless for generated objects of every version", () => {
    const texts = fc.option(fc.constantFrom("", "x", "y"), { nil: undefined });
    const samples = fc
      .sample(fc.record({ a: texts, b: texts, c: texts, old: texts }), { numRuns: 200, seed: 3 })
      .map((fields) => JSON.parse(JSON.stringify(fields)) as Record<string, string>)
      .flatMap(({ old, ...spec }) => [
        make("v3", spec),
        make("v2", withoutC(spec)),
        make("v1", { ...(spec["a"] !== undefined && { a: spec["a"] }), ...(old !== undefined && { old }) }),
      ]);

    assert.deepEqual(checkRoundTrips(three, samples).slice(0, 3), []);
  });

  it("requires functions for every version except the hub, at compile time and at run time", () => {
    const pair = { toHub: () => ({ spec: {} }), fromHub: () => ({ spec: {} }) };

    // @ts-expect-error v2 is missing
    assert.throws(() => defineConversion(Three, { hub: "v3", spokes: { v1: pair } }), { code: "DEFINITION" });
    // @ts-expect-error there is no such version
    assert.throws(() => defineConversion(Three, { hub: "v4", spokes: { v1: pair, v2: pair, v3: pair } }), {
      code: "DEFINITION",
      message: /hub: .*must be a version/,
    });
  });
});

describe("a conversion whose hub is not the storage version", () => {
  const Migrating = defineResource({
    group: "migrate.example.com",
    kind: "Migrating",
    versions: {
      v1: { storage: true, spec: { a: s.string() } },
      v2: { spec: { a: s.string(), size: s.int().max(9).optional(), note: s.string().optional() } },
    },
  });
  const migration = defineConversion(Migrating, {
    hub: "v2",
    spokes: {
      v1: {
        toHub: ({ spec }) => ({ spec }),
        fromHub: ({ spec }) => ({ spec: { a: spec.a } }),
      },
    },
  });
  const make = (note: string) => ({
    apiVersion: "migrate.example.com/v2",
    kind: "Migrating",
    metadata: { name: "x" },
    spec: { a: "1", note },
  });

  it("rejects an object whose stash is too large, because values would be lost", () => {
    assert.throws(() => migration.convert(make("x".repeat(210_000)), "migrate.example.com/v1"), {
      code: "CONVERSION",
      message: /too large for an annotation/,
    });
  });

  it("ignores an invalid stash on reads with a warning", () => {
    const stored = structuredClone(migration.convert(make("n"), "migrate.example.com/v1").object);
    stored.metadata.annotations = { "migrate.example.com/v2-stash": '[{"at":["spec","size"],"is":10}]' };

    const { object, warnings } = migration.convert(stored, "migrate.example.com/v2");

    assert.deepEqual((object as unknown as { spec: unknown }).spec, { a: "1" });
    assert.match(warnings.join(), /not valid in migrate\.example\.com\/v2: spec\.size/);
  });
});
