import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readInput } from "./dump.ts";
import { generate } from "./generate.ts";
import { type Input, parseInput } from "./input.ts";
import { differences } from "./output.ts";

const objectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
const time = "io.k8s.apimachinery.pkg.apis.meta.v1.Time";

/** Input with a single kind. */
const tiny: Input = {
  release: "9.9.9",
  resources: [
    {
      group: "toys.k8s.io",
      version: "v1",
      kind: "Toy",
      plural: "toys",
      singular: "toy",
      namespaced: false,
      shortNames: ["ty"],
      verbs: ["get", "list"],
      subresources: [{ name: "status", group: "toys.k8s.io", version: "v1", kind: "Toy", verbs: ["get"] }],
    },
  ],
  definitions: {
    "io.k8s.api.toys.v1.Toy": {
      description: "A toy, of which there are many in the world, and each of which is described by its specification.",
      kind: { group: "toys.k8s.io", version: "v1", kind: "Toy" },
      type: "object",
      properties: {
        apiVersion: { type: "string" },
        colour: { type: "string", enum: ["Blue", "Red"], "x-enum-type": "io.k8s.api.toys.v1.Colour" },
        kind: { type: "string" },
        metadata: { $ref: objectMeta, default: {} },
        parts: { type: "array", items: { $ref: "io.k8s.api.toys.v1.Toy" } },
        spec: { $ref: "io.k8s.api.toys.v1.ToySpec", default: {} },
        weights: { type: "object", additionalProperties: { type: "integer", format: "int32" } },
      },
    },
    "io.k8s.api.toys.v1.ToySpec": {
      type: "object",
      properties: { made: { $ref: time }, name: { type: "string", description: "name is its name." } },
      required: ["name"],
    },
    [objectMeta]: { type: "object" },
    [time]: { type: "string", format: "date-time" },
    "io.k8s.apimachinery.pkg.apis.meta.v1.Condition": { type: "object" },
    "io.k8s.apimachinery.pkg.apis.meta.v1.Duration": { type: "string" },
    "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime": { type: "string" },
  },
};

describe("the generator", () => {
  it("reproduces the committed files from the committed input", () => {
    const wrong = differences(generate(readInput()));

    assert.deepEqual(wrong, [], "run `npm run generate:kubernetes` and commit the result");
  });

  it("generates the same files for any order of the input", () => {
    const input = readInput();
    const reversed: Input = {
      ...input,
      resources: [...input.resources].reverse(),
      definitions: Object.fromEntries(Object.entries(input.definitions).reverse()),
    };

    assert.deepEqual(generate(reversed), generate(input));
  });

  it("writes interface, descriptor and enum of a kind", () => {
    const text = generate(tiny).get("toys/v1.ts") ?? "";

    assert.equal(
      text.slice(text.indexOf("import")),
      `import type * as metaV1 from "../meta/v1.ts";
import type { BuiltInResource } from "../../built-in-resource.ts";
import type { Nested } from "../../nested.ts";

/** A toy, of which there are many in the world, and each of which is described by its specification. */
export interface Toy {
  apiVersion: "toys.k8s.io/v1";
  kind: "Toy";
  metadata: metaV1.ObjectMeta;
  colour?: Colour;
  parts?: Nested<Toy>[];
  spec: ToySpec;
  weights?: Record<string, number>;
}

/** The resource \`toys\` of \`toys.k8s.io/v1\`. */
export const Toy: BuiltInResource<Toy, "Cluster"> = {
  group: "toys.k8s.io",
  version: "v1",
  kind: "Toy",
  plural: "toys",
  singular: "toy",
  scope: "Cluster",
  shortNames: ["ty"],
  categories: [],
  subresources: ["status"],
  verbs: ["get", "list"],
};

/** The type \`ToySpec\`. */
export interface ToySpec {
  made?: metaV1.Time;
  /** name is its name. */
  name: string;
}

/** The values of \`Colour\`. */
export type Colour = "Blue" | "Red";
`,
    );
  });

  it("names the release and the license in every file", () => {
    for (const [path, text] of generate(tiny)) {
      assert.match(text, /^\/\/ Generated from Kubernetes 9\.9\.9 /, path);
      assert.match(text, /The Kubernetes Authors.*\n.*Apache License, Version 2\.0/, path);
    }
  });

  it("rejects contradictory input", () => {
    const [toy] = tiny.resources;
    assert.ok(toy !== undefined);
    const twice: Input = { ...tiny, resources: [toy, { ...toy, plural: "playthings" }] };

    assert.throws(() => generate(twice), /Toy of toys.k8s.io\/v1 is served under two names/);
  });
});

describe("parseInput", () => {
  it("rejects input that the dump did not write", () => {
    assert.throws(() => parseInput("{}"), /regenerate it with dump/);
  });
});
