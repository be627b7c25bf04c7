// Defines a resource in two versions: fields, rules, defaults, a CRD manifest, and a lossless conversion.
//
// Prints:
//   spec.worker.replicas: Invalid value: 501: spec.worker.replicas in body should be less than or equal to 500
//   spec.env[0]: Invalid value: exactly one of value, secret must be set
//   spec.image: Invalid value: "locust:3": field is immutable
//   as v1: {"image":"locust:2","workers":4}
//   back to v2: {"image":"locust:2","worker":{"replicas":8},"autostart":false}
//   0 round trips lost data

import {
  ageColumn,
  checkRoundTrips,
  defineConversion,
  defineResource,
  formatProblem,
  type InputOf,
  type ObjectOf,
  s,
  toYaml,
} from "@homeostat/schema";

// region: fields
const env = s
  .list(
    s
      .object({ name: s.string().max(63), value: s.string().optional(), secret: s.string().max(253).optional() })
      .exactlyOneOf("value", "secret"),
  )
  .mapBy("name")
  .max(100);

const worker = s.object({
  replicas: s.int().min(1).max(500).describe("Number of workers that generate load."),
  memory: s.quantity().optional(),
});
// endregion

// region: resource
const LoadTest = defineResource({
  group: "load.example.com",
  kind: "LoadTest",
  shortNames: ["lot"],
  versions: {
    v1: {
      deprecated: true,
      spec: { image: s.string(), workers: s.int().min(1).max(500).default(1) },
    },
    v2: {
      storage: true,
      spec: {
        image: s.string().max(255).immutable(),
        worker,
        autostart: s.bool().default(true),
        env: env.optional(),
      },
      status: { phase: s.enum("Pending", "Running", "Done").optional() },
      conditions: ["Ready"],
      columns: [{ name: "Phase", jsonPath: ".status.phase" }, { name: "Ready", condition: "Ready" }, ageColumn],
      selectableFields: [".spec.image"],
    },
  },
});
// endregion

// region: types
type LoadTest = ObjectOf<typeof LoadTest>;
type NewLoadTest = InputOf<typeof LoadTest>;

const written: NewLoadTest = LoadTest.make({
  metadata: { name: "checkout", namespace: "shop" },
  spec: { image: "locust:2", worker: { replicas: 4 }, autostart: false },
});
const read: LoadTest = LoadTest.parse(written);
// endregion

// region: check
const tooMany = { ...read, spec: { ...read.spec, worker: { replicas: 501 } } };
for (const problem of LoadTest.check(tooMany)) console.log(formatProblem(problem));

const twoSources = { ...read, spec: { ...read.spec, env: [{ name: "HOST", value: "a", secret: "b" }] } };
for (const problem of LoadTest.check(twoSources)) console.log(formatProblem(problem));

const otherImage = { ...read, spec: { ...read.spec, image: "locust:3" } };
for (const problem of LoadTest.check(otherImage, { old: read })) console.log(formatProblem(problem));
// endregion

// region: manifest
const manifest = LoadTest.crd({
  conversionWebhook: { service: { namespace: "load", name: "load-operator", path: "/convert" } },
});
const yaml = toYaml(manifest);
// endregion

// region: conversion
const conversion = defineConversion(LoadTest, {
  hub: "v2",
  spokes: {
    v1: {
      toHub: ({ spec }) => ({ spec: { image: spec.image, worker: { replicas: spec.workers } } }),
      fromHub: ({ spec }) => ({ spec: { image: spec.image, workers: spec.worker.replicas } }),
    },
  },
});
// endregion

// region: journey
const old = LoadTest.versions.v1.parse(conversion.convert(read, "load.example.com/v1").object);
console.log(`as v1: ${JSON.stringify(old.spec)}`);

old.spec.workers = 8;
const back = LoadTest.parse(conversion.convert(old, "load.example.com/v2").object);
console.log(`back to v2: ${JSON.stringify(back.spec)}`);
// endregion

// region: law
const lost = checkRoundTrips(conversion, [read, back, old]);
console.log(`${lost.length} round trips lost data`);
// endregion

if (!yaml.startsWith("apiVersion: apiextensions.k8s.io/v1")) throw new Error("not a manifest");
