import { isRecord } from "@homeostat/core";
import { schemaDepthMax, schemaNodesMax } from "./limits.ts";
import { invalid, typeInvalid, type Problem } from "../problem/problem.ts";
import { readJson } from "../value/read-json.ts";
import { emptyNode, type RuleNode, type SchemaNode } from "./node.ts";
import type { Json } from "../value/json.ts";

/** The result of {@link readSchema}. */
export interface ReadSchema {
  readonly node: SchemaNode;
  /** Keywords that could not be parsed. If there are any, the node must not be used. */
  readonly problems: readonly Problem[];
}

/**
 * Parses a schema from untrusted JSON.
 *
 * Checks only that keywords have values of the right JSON type and that the schema is not too large or too deep. Drops unknown
 * keywords, as the API server does.
 */
export function readSchema(schema: unknown, path: string): ReadSchema {
  const reader = new SchemaReader();
  const node = reader.node(schema, path, 0);
  return { node, problems: reader.problems };
}

const problemsMax = 100;

/** Parses the value of a keyword. Returns undefined for Go's zero value. */
type Read<T> = (value: unknown, path: string) => T | undefined;

class SchemaReader {
  readonly problems: Problem[] = [];
  private nodes = 0;

  node(schema: unknown, path: string, depth: number): SchemaNode {
    // Limit the work and the size of the error for a schema with very many problems.
    if (this.problems.length >= problemsMax) return emptyNode;
    if (!isRecord(schema)) return this.reject(path, schema, "must be an object");
    this.nodes += 1;
    if (depth > schemaDepthMax) return this.reject(path, {}, `must not be nested deeper than ${schemaDepthMax} levels`);
    if (this.nodes > schemaNodesMax) {
      // Report this once and skip the rest.
      if (this.nodes === schemaNodesMax + 1) this.reject(path, {}, `must not have more than ${schemaNodesMax} nodes`);
      return emptyNode;
    }

    const keywords = new Set<string>();
    const read = <T>(keyword: string, reader: Read<T>): T | undefined => {
      if (!Object.hasOwn(schema, keyword)) return undefined;
      const value = schema[keyword];
      if (value === undefined || value === null) return undefined;
      const result = reader(value, `${path}.${keyword}`);
      if (result !== undefined) keywords.add(keyword);
      return result;
    };
    const child: Read<SchemaNode> = (value, at) => this.node(value, at, depth + 1);
    const children: Read<readonly SchemaNode[]> = (value, at) =>
      this.list(value, at, (element, index) => this.node(element, `${at}[${index}]`, depth + 1));
    const childMap: Read<ReadonlyMap<string, SchemaNode>> = (value, at) =>
      this.map(value, at, (element, key) => this.node(element, `${at}[${key}]`, depth + 1));
    const misplaced = new Map<string, SchemaNode>();
    for (const keyword of ["definitions", "dependencies"]) {
      const found = read(keyword, (value, at) => this.map(value, at, (element) => element));
      for (const [key, element] of found ?? []) {
        if (isRecord(element))
          misplaced.set(`${keyword}[${key}]`, child(element, `${path}.${keyword}[${key}]`) ?? emptyNode);
      }
    }
    for (const keyword of ["id", "$schema"]) read(keyword, this.text);
    read("$ref", this.anyText);
    for (const keyword of ["patternProperties", "externalDocs"]) read(keyword, this.record);
    read("additionalItems", (value) => value);
    read("uniqueItems", this.flag);
    read("example", this.json);
    const several = Object.hasOwn(schema, "items") && Array.isArray(schema["items"]);

    return {
      type: read("type", this.text) ?? "",
      format: read("format", this.text) ?? "",
      title: read("title", this.text) ?? "",
      description: read("description", this.text) ?? "",
      default: read("default", this.json),
      nullable: read("nullable", this.flag) ?? false,
      properties: read("properties", childMap) ?? emptyNode.properties,
      required: read("required", this.texts) ?? [],
      additionalProperties: read<SchemaNode | boolean>("additionalProperties", (value, at) =>
        typeof value === "boolean" ? value : child(value, at),
      ),
      minProperties: read("minProperties", this.count),
      maxProperties: read("maxProperties", this.count),
      items: several ? undefined : read("items", child),
      itemsList: several ? (read("items", children) ?? []) : [],
      minItems: read("minItems", this.count),
      maxItems: read("maxItems", this.count),
      minLength: read("minLength", this.count),
      maxLength: read("maxLength", this.count),
      pattern: read("pattern", this.text) ?? "",
      enum: read("enum", (value, at) => this.list(value, at, (element) => this.json(element, at) ?? null)) ?? [],
      minimum: read("minimum", this.number),
      maximum: read("maximum", this.number),
      exclusiveMinimum: read("exclusiveMinimum", this.flag) ?? false,
      exclusiveMaximum: read("exclusiveMaximum", this.flag) ?? false,
      multipleOf: read("multipleOf", this.number),
      allOf: read("allOf", children) ?? [],
      anyOf: read("anyOf", children) ?? [],
      oneOf: read("oneOf", children) ?? [],
      not: read("not", child),
      preserveUnknownFields: read("x-kubernetes-preserve-unknown-fields", this.anyFlag),
      embeddedResource: read("x-kubernetes-embedded-resource", this.flag) ?? false,
      intOrString: read("x-kubernetes-int-or-string", this.flag) ?? false,
      listType: read("x-kubernetes-list-type", this.anyText),
      listMapKeys: read("x-kubernetes-list-map-keys", this.texts) ?? [],
      mapType: read("x-kubernetes-map-type", this.anyText),
      rules:
        read("x-kubernetes-validations", (value, at) =>
          this.list(value, at, (element, index) => this.rule(element, `${at}[${index}]`)),
        ) ?? [],
      keywords,
      misplaced,
    };
  }

  private rule(value: unknown, path: string): RuleNode {
    const rule = isRecord(value) ? value : {};
    if (!isRecord(value)) this.report(path, value, "must be an object");
    const read = <T>(keyword: string, reader: Read<T>): T | undefined => {
      const found = Object.hasOwn(rule, keyword) ? rule[keyword] : undefined;
      return found === undefined || found === null ? undefined : reader(found, `${path}.${keyword}`);
    };
    return {
      rule: read("rule", this.text) ?? "",
      message: read("message", this.text) ?? "",
      messageExpression: read("messageExpression", this.text) ?? "",
      reason: read("reason", this.anyText),
      fieldPath: read("fieldPath", this.text) ?? "",
      optionalOldSelf: read("optionalOldSelf", this.anyFlag),
    };
  }

  private readonly anyText: Read<string> = (value, path) => {
    if (typeof value === "string") return value;
    return this.report(path, value, "must be a string");
  };

  /** In Go an empty string is the zero value and counts as missing. */
  private readonly text: Read<string> = (value, path) => {
    const text = this.anyText(value, path);
    return text === "" ? undefined : text;
  };

  private readonly anyFlag: Read<boolean> = (value, path) => {
    if (typeof value === "boolean") return value;
    return this.report(path, value, "must be a boolean");
  };

  private readonly flag: Read<boolean> = (value, path) => this.anyFlag(value, path) || undefined;

  private readonly number: Read<number> = (value, path) => {
    if (typeof value === "number" && Number.isFinite(value)) return value;
    return this.report(path, value, "must be a number");
  };

  private readonly count: Read<number> = (value, path) => {
    if (typeof value === "number" && Number.isSafeInteger(value)) return value;
    return this.report(path, value, "must be an integer");
  };

  private readonly record: Read<object> = (value, path) => {
    if (isRecord(value)) return Object.keys(value).length > 0 ? value : undefined;
    return this.report(path, value, "must be an object");
  };

  private readonly json: Read<Json> = (value, path) => {
    const result = readJson(value);
    if ("problem" in result) return this.report(path, undefined, result.problem);
    return result.json ?? undefined;
  };

  private readonly texts: Read<readonly string[]> = (value, path) =>
    this.list(value, path, (element, index) => this.anyText(element, `${path}[${index}]`) ?? "");

  private list<T>(value: unknown, path: string, read: (element: unknown, index: number) => T): T[] | undefined {
    if (Array.isArray(value)) return value.map(read);
    return this.report(path, value, "must be a list");
  }

  private map<T>(value: unknown, path: string, read: (element: unknown, key: string) => T): Map<string, T> | undefined {
    if (isRecord(value)) return new Map(Object.entries(value).map(([key, element]) => [key, read(element, key)]));
    return this.report(path, value, "must be an object");
  }

  private reject(path: string, value: unknown, detail: string): SchemaNode {
    this.report(path, value, detail);
    return emptyNode;
  }

  private report(path: string, value: unknown, detail: string): undefined {
    this.problems.push(value === undefined ? invalid(path, {}, detail) : typeInvalid(path, shown(value), detail));
    return undefined;
  }
}

/** Returns scalars unchanged, and "array" or "object" for others, so that a message is not as large as the value. */
function shown(value: unknown): unknown {
  if (Array.isArray(value)) return "array";
  return typeof value === "object" && value !== null ? "object" : value;
}
