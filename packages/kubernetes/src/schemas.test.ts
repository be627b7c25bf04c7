import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { EmbeddedSchema, EmbeddedType } from "./embedded-type.ts";
import * as apps from "./generated/apps/v1/schemas.ts";
import * as autoscaling from "./generated/autoscaling/v2/schemas.ts";
import * as batch from "./generated/batch/v1/schemas.ts";
import * as core from "./generated/core/v1/schemas.ts";
import * as meta from "./generated/meta/v1/schemas.ts";
import * as networking from "./generated/networking/v1/schemas.ts";
import * as policy from "./generated/policy/v1/schemas.ts";
import * as rbac from "./generated/rbac/v1/schemas.ts";

const embedded: EmbeddedType[] = [apps, autoscaling, batch, core, meta, networking, policy, rbac].flatMap((module) =>
  Object.values(module),
);

/** Returns the reasons why an API server would refuse a schema as not structural. */
function problems(schema: EmbeddedSchema, path: string): string[] {
  const found: string[] = [];
  const say = (problem: string): void => void found.push(`${path}: ${problem}`);
  const { type, items, properties, additionalProperties } = schema;

  if ("$ref" in schema) say("has a $ref");
  if (schema["x-kubernetes-int-or-string"] === true) {
    if (type !== undefined) say("is int-or-string and has a type");
    if (JSON.stringify(schema.anyOf) !== '[{"type":"integer"},{"type":"string"}]') say("has another anyOf");
  } else {
    if (type === undefined) say("has no type");
    if (schema.anyOf !== undefined) say("has anyOf");
  }
  if ((type === "array") !== (items !== undefined)) say("has items without being a list, or the other way round");
  if (type !== "object" && (properties ?? additionalProperties) !== undefined)
    say("has fields without being an object");
  if (properties !== undefined && additionalProperties !== undefined) say("is both a map and an object");
  if (schema.default !== undefined && typeof schema.default !== type && type !== "integer") say("has a wrong default");
  for (const name of schema.required ?? []) {
    if (properties?.[name] === undefined) say(`requires ${name}, which it does not have`);
    if (properties?.[name]?.default !== undefined) say(`requires ${name}, which has a default`);
  }
  found.push(...listProblems(schema, path));
  if (items !== undefined) found.push(...problems(items, `${path}[]`));
  if (additionalProperties !== undefined) found.push(...problems(additionalProperties, `${path}.*`));
  for (const [name, child] of Object.entries(properties ?? {})) found.push(...problems(child, `${path}.${name}`));
  return found;
}

/** Checks list types. The keys of a map list must be scalars that are required or have a default. */
function listProblems(schema: EmbeddedSchema, path: string): string[] {
  const listType = schema["x-kubernetes-list-type"];
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  if (schema.type !== "array") return listType === undefined ? [] : [`${path}: has a list type without being a list`];
  if ((listType === "map") !== keys.length > 0)
    return [`${path}: has keys without being a map, or the other way round`];
  if (listType === "set" && (schema.items?.type === "object" || schema.items?.type === "array")) {
    return [`${path}: is a set of something that is not a scalar`];
  }
  return keys.flatMap((key) => {
    const field = schema.items?.properties?.[key];
    if (field === undefined || field.type === "object" || field.type === "array")
      return [`${path}: has no scalar ${key}`];
    const isThere = field.default !== undefined || schema.items?.required?.includes(key) === true;
    return isThere ? [] : [`${path}: the key ${key} is neither required nor defaulted`];
  });
}

describe("the schemas of embedded types", () => {
  it("are all structural", () => {
    assert.deepEqual(
      embedded.flatMap(({ name, schema }) => problems(schema, name)),
      [],
    );
  });

  it("have unique names", () => {
    const names = new Set(embedded.map(({ name }) => name));

    assert.equal(names.size, embedded.length);
    assert.ok(names.size > 200, `${names.size} types`);
  });

  it("keep the user-settable metadata of a template", () => {
    const fields = Object.keys(core.podTemplateSpec.schema.properties?.["metadata"]?.properties ?? {});

    assert.deepEqual(fields, ["annotations", "finalizers", "labels", "name", "namespace"]);
    assert.equal(core.persistentVolumeClaimTemplate.schema.properties?.["metadata"], meta.objectMeta.schema);
  });

  it("give the keys of ports a default, as the API does", () => {
    assert.deepEqual(core.container.schema.properties?.["ports"], {
      type: "array",
      items: {
        type: "object",
        properties: {
          containerPort: { type: "integer", format: "int32" },
          hostIP: { type: "string" },
          hostPort: { type: "integer", format: "int32" },
          name: { type: "string" },
          protocol: { type: "string", default: "TCP" },
        },
        required: ["containerPort"],
      },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["containerPort", "protocol"],
    });
  });

  it("accept quantities as numbers and as strings of the right form", () => {
    const limit = core.resourceRequirements.schema.properties?.["limits"]?.additionalProperties;
    const pattern = new RegExp(limit?.pattern ?? "^$");

    assert.equal(limit, meta.quantity.schema);
    for (const good of ["1", "0.5", "500m", "2Gi", "1e3", "-1k", "+.5"]) assert.match(good, pattern);
    for (const bad of ["", "1 Gi", "2gi", "m", "1.2.3"]) assert.doesNotMatch(bad, pattern);
  });

  it("share their parts, so that a large type costs little memory", () => {
    const template = core.podTemplateSpec.schema;

    assert.equal(apps.deploymentSpec.schema.properties?.["template"], template);
    assert.equal(batch.jobSpec.schema.properties?.["template"], template);
    assert.equal(core.podSpec.schema.properties?.["containers"]?.items, core.container.schema);
    assert.equal(core.podSpec.schema.properties?.["initContainers"]?.items, core.container.schema);
  });

  it("fit into a CustomResourceDefinition", () => {
    const bytes = JSON.stringify(core.podTemplateSpec.schema).length;

    assert.ok(bytes < 100_000, `${bytes} bytes`);
  });
});

describe("the check for structural schemas", () => {
  it("finds what an API server would refuse", () => {
    const list = (items: EmbeddedSchema): EmbeddedSchema => ({
      type: "array",
      items,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
    });
    const bad: EmbeddedSchema[] = [
      {},
      { type: "object", properties: { a: {} } },
      { type: "object", required: ["a"] },
      { type: "string", items: { type: "string" } },
      { type: "array", items: { type: "object" }, "x-kubernetes-list-type": "set" },
      { type: "string", default: 1 },
      list({ type: "object", properties: { name: { type: "string" } } }),
      list({ type: "object" }),
    ];

    for (const schema of bad) assert.equal(problems(schema, "at").length, 1, JSON.stringify(schema));
  });
});
