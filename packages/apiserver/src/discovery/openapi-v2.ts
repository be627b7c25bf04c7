// The document at `/openapi/v2`, for clients that do not know version 3; converted from the version 3 documents.

import { isList, isRecord, type JsonRecord } from "@homeostat/core";
import { inAllVersions, kindsOfAllVersions } from "./scheme-versions.ts";

/**
 * Builds one Swagger 2.0 document from OpenAPI v3 documents.
 *
 * Definitions are equal to those of kube-apiserver. Operations have the same meaning, but with their parameters inlined; `produces` is
 * taken from the first response with content.
 */
export function swaggerDocument(
  { builtIn, custom }: { readonly builtIn: Iterable<unknown>; readonly custom: Iterable<unknown> },
  version: string,
): unknown {
  const paths: JsonRecord = {};
  const definitions: JsonRecord = {};
  for (const document of builtIn) {
    for (const [path, item] of entriesAt(document, "paths")) paths[path] = pathItem(item);
    for (const [name, schema] of entriesAt(fieldOf(document, "components"), "schemas")) {
      definitions[name] = withKinds(definition(schema), definitions[name]);
    }
  }
  for (const document of custom) {
    for (const [path, item] of entriesAt(document, "paths")) paths[path] = pathItem(item);
    for (const [name, schema] of entriesAt(fieldOf(document, "components"), "schemas")) {
      definitions[name] ??= definition(structuralV2(schema));
    }
  }
  for (const [name, kind] of kindsOfAllVersions) {
    const known = definitions[name];
    if (isRecord(known)) definitions[name] = { ...known, [kinds]: inAllVersions(kind) };
  }
  return {
    swagger: "2.0",
    info: { title: "Kubernetes", version },
    paths: sorted(paths),
    definitions: sorted(definitions),
    securityDefinitions: {
      BearerToken: { description: "Bearer Token authentication", type: "apiKey", name: "authorization", in: "header" },
    },
    security: [{ BearerToken: [] }],
  };
}

const kinds = "x-kubernetes-group-version-kind";

/** Merges the group-version-kinds of a definition that occurs in several documents. */
function withKinds(made: JsonRecord, known: unknown): JsonRecord {
  const [own, others] = [made[kinds], fieldOf(known, kinds)];
  if (!isList(own) || !isList(others)) return made;
  const all = new Map([...others, ...own].map((each) => [JSON.stringify(each), each]));
  return { ...made, [kinds]: [...all.values()] };
}

function definition(schema: unknown): JsonRecord {
  const made: JsonRecord = {};
  for (const [key, value] of isRecord(schema) ? Object.entries(schema) : []) {
    if (key === "default") continue;
    if (key === "$ref") made[key] = reference(value);
    else if (key === "allOf" && isList(value) && value.length === 1)
      made["$ref"] = reference(fieldOf(value[0], "$ref"));
    else if (key === "oneOf") made["type"] = "string";
    else if (key === "properties" && isRecord(value)) {
      made[key] = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, definition(each)]));
    } else if ((key === "items" || key === "additionalProperties") && isRecord(value)) made[key] = definition(value);
    else made[key] = value;
  }
  return made;
}

/**
 * Returns a schema of a custom resource without the parts that clients of version 2 cannot read, as
 * `apiextensions-apiserver/pkg/controller/openapi/v2/conversion.go` removes them.
 */
function structuralV2(schema: unknown): unknown {
  if (!isRecord(schema)) return schema;
  const { allOf, oneOf: _one, anyOf: _any, not: _not, nullable, ...made } = schema;
  // A reference with a description is an `allOf` in version 3.
  if (isList(allOf) && fieldOf(allOf[0], "$ref") !== undefined) return { ...made, allOf };
  const keepsUnknown = made["x-kubernetes-preserve-unknown-fields"] === true;
  if (nullable === true) delete made["type"];
  if (nullable === true || keepsUnknown) {
    delete made["items"];
    delete made["properties"];
  }
  if (made["items"] === undefined && made["type"] === "array") delete made["type"];
  if (keepsUnknown && made["type"] === "object") delete made["type"];
  const { properties, items, additionalProperties, required } = made;
  if (isRecord(properties)) {
    if (isList(required)) {
      const kept = required.filter((name) => fieldOf(fieldOf(properties, String(name)), "nullable") !== true);
      if (kept.length === 0) delete made["required"];
      else made["required"] = kept;
    }
    made["properties"] = Object.fromEntries(
      Object.entries(properties).map(([name, each]) => [name, structuralV2(each)]),
    );
  }
  if (isRecord(items)) made["items"] = structuralV2(items);
  if (isRecord(additionalProperties)) {
    if (additionalProperties["nullable"] === true) delete made["required"];
    made["additionalProperties"] = structuralV2(additionalProperties);
  }
  return made;
}

function reference(value: unknown): string {
  return String(value).replace("#/components/schemas/", "#/definitions/");
}

function pathItem(item: unknown): JsonRecord {
  const made: JsonRecord = {};
  for (const [method, value] of isRecord(item) ? Object.entries(item) : []) {
    made[method] = isList(value) ? value.map(parameter) : operation(value);
  }
  return made;
}

function parameter(value: unknown): JsonRecord {
  if (!isRecord(value)) return {};
  const { schema, ...rest } = value;
  return { ...(isRecord(schema) ? definition(schema) : {}), ...rest };
}

function operation(value: unknown): JsonRecord {
  if (!isRecord(value)) return {};
  const { parameters, requestBody, responses, ...rest } = value;
  const body = entriesAt(requestBody, "content");
  const responseEntries = isRecord(responses) ? Object.entries(responses) : [];
  const produced =
    responseEntries.map(([, response]) => entriesAt(response, "content")).find((content) => content.length > 0) ?? [];
  const all = [
    ...(body.length > 0
      ? [{ name: "body", in: "body", required: fieldOf(requestBody, "required") === true, schema: schemaOf(body) }]
      : []),
    ...(isList(parameters) ? parameters.map(parameter) : []),
  ];
  return {
    ...rest,
    consumes: body.length > 0 ? body.map(([type]) => type) : ["*/*"],
    produces: produced.map(([type]) => type),
    schemes: ["https"],
    ...(all.length > 0 ? { parameters: all } : {}),
    responses: Object.fromEntries(
      responseEntries.map(([code, response]) => {
        const content = entriesAt(response, "content");
        const description = fieldOf(response, "description");
        return [code, { description, ...(content.length > 0 ? { schema: schemaOf(content) } : {}) }];
      }),
    ),
  };
}

function schemaOf(content: readonly [string, unknown][]): JsonRecord {
  return definition(fieldOf(content[0]?.[1], "schema"));
}

function fieldOf(value: unknown, name: string): unknown {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function entriesAt(value: unknown, name: string): [string, unknown][] {
  const found = fieldOf(value, name);
  return isRecord(found) ? Object.entries(found) : [];
}

function sorted(record: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
