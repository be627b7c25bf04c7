import type { JsonShape, ListShape, ObjectShape, ScalarShape } from "@homeostat/cel";
import { utf8Length } from "@homeostat/core";
import { additionalSchema, emptyNode, type SchemaNode } from "../structural/node.ts";

/** Request size limit of the API server. It bounds the size of values for which the schema sets no limit. */
const requestBytesMax = 3 * 1024 * 1024;

/** The shape of a schema node in CEL. */
export interface NodeShape {
  readonly shape: JsonShape;
  /** Minimum size of a value in JSON, in bytes. */
  readonly bytesMin: number;
  /** True if expressions can access values of this shape. */
  readonly isVisible: boolean;
}

/**
 * Returns the shape of the values of a schema node in CEL; undefined if CEL cannot access them.
 *
 * A resource (the root, or an embedded one) always has `apiVersion`, `kind`, `metadata.name` and `metadata.generateName`, declared
 * or not. Fields without a schema that are preserved are not accessible.
 */
export function shapeOf(node: SchemaNode, { isResource }: { isResource: boolean }): NodeShape | undefined {
  const result = describe(node, isResource);
  return result.isVisible ? result : undefined;
}

/** Reports whether CEL can access the values of a node. */
export function isVisible(node: SchemaNode): boolean {
  if (node.intOrString || ["string", "boolean", "number", "integer"].includes(node.type)) return true;
  if (node.type === "array") return node.items !== undefined && isVisible(node.items);
  const others = additionalSchema(node);
  return node.type === "object" && (others === undefined || isVisible(others));
}

function describe(node: SchemaNode, isResource: boolean): NodeShape {
  const common = node.nullable ? { nullable: true } : {};
  const scalar = (kind: ScalarShape["kind"], bytesMin: number, maxElements = 0): NodeShape => ({
    shape: { kind, maxElements, ...common },
    bytesMin,
    isVisible: kind !== "preserved",
  });
  if (node.intOrString) return scalar("intOrString", 1, textLengthMax(node));
  switch (node.type) {
    case "array":
      return node.items === undefined ? scalar("preserved", 0) : describeList(node, node.items, common);
    case "object":
      return describeObject(node, isResource, common);
    case "string":
      return describeText(node, scalar);
    case "boolean":
      return scalar("bool", 4);
    case "number":
      return scalar("double", 1);
    case "integer":
      return scalar("int", 1);
    default:
      return scalar("preserved", 0);
  }
}

function describeList(node: SchemaNode, items: SchemaNode, common: { nullable?: boolean }): NodeShape {
  const { shape, bytesMin, isVisible } = describe(items, items.embeddedResource);
  const maxElements = clamp(node.maxItems) ?? Math.floor((requestBytesMax - 2) / (bytesMin + 1));
  const list: ListShape = { kind: "list", items: shape, maxElements, ...topologyOf(node), ...common };
  return { shape: list, bytesMin: 2, isVisible };
}

function topologyOf({ listType, listMapKeys }: SchemaNode): Pick<ListShape, "listType" | "mapKeys"> {
  if (listType === "map") return { listType, mapKeys: listMapKeys };
  return listType === "set" || listType === "atomic" ? { listType } : {};
}

function describeText(
  node: SchemaNode,
  scalar: (kind: ScalarShape["kind"], bytesMin: number, maxElements: number) => NodeShape,
): NodeShape {
  switch (node.format) {
    case "byte":
      return scalar("bytes", 2, clamp(node.maxLength) ?? requestBytesMax - 2);
    case "duration":
      return scalar("duration", 3, 32);
    case "date":
      return scalar("date", 12, 12);
    case "date-time":
      return scalar("timestamp", 21, 32);
    default:
      return scalar("string", 2, textLengthMax(node));
  }
}

/** Returns the maximum size of a string in bytes: four per allowed character, or the size of the longest enum value. */
function textLengthMax(node: SchemaNode): number {
  const length = clamp(node.maxLength);
  if (length !== undefined) return length * 4;
  if (node.enum.length === 0 || node.intOrString) return requestBytesMax - 2;
  return Math.max(0, ...node.enum.map((choice) => (typeof choice === "string" ? utf8Length(choice) : 0)));
}

function describeObject(node: SchemaNode, isResource: boolean, common: { nullable?: boolean }): NodeShape {
  const others = additionalSchema(node);
  if (others !== undefined) {
    const values = describe(others, others.embeddedResource);
    const maxElements = clamp(node.maxProperties) ?? Math.floor((requestBytesMax - 2) / (values.bytesMin + 6));
    const shape: JsonShape = { kind: "map", values: values.shape, maxElements, ...common };
    return { shape, bytesMin: 2, isVisible: values.isVisible };
  }
  const properties = new Map<string, JsonShape>();
  const required = new Set(node.required);
  let bytesMin = 2;
  for (const [name, property] of isResource ? withMeta(node) : node.properties) {
    const inner = describe(property, property.embeddedResource);
    properties.set(name, inner.shape);
    // A request can omit a field with a default.
    const isSent = required.has(name) && property.default === undefined;
    if (inner.isVisible && isSent) bytesMin += utf8Length(name) + inner.bytesMin + 4;
  }
  const shape: ObjectShape = { kind: "object", properties, ...common };
  return { shape, bytesMin, isVisible: true };
}

const text: SchemaNode = { ...emptyNode, type: "string" };
const names: SchemaNode = {
  ...emptyNode,
  type: "object",
  properties: new Map([
    ["name", text],
    ["generateName", text],
  ]),
};

/** Returns the properties of a resource with `kind`, `apiVersion` and `metadata`. Complete declarations are used as they are. */
function withMeta(node: SchemaNode): ReadonlyMap<string, SchemaNode> {
  const metadata = node.properties.get("metadata");
  const isComplete =
    node.properties.get("kind")?.type === "string" &&
    node.properties.get("apiVersion")?.type === "string" &&
    metadata?.type === "object" &&
    metadata.properties.get("name")?.type === "string" &&
    metadata.properties.get("generateName")?.type === "string";
  if (isComplete) return node.properties;
  return new Map([...node.properties, ["kind", text], ["apiVersion", text], ["metadata", names]]);
}

function clamp(limit: number | undefined): number | undefined {
  return limit === undefined ? undefined : Math.max(0, limit);
}

/** Returns how many values of at least `bytesMin` bytes fit into one request. */
export function cardinalityMax(bytesMin: number): number {
  return Math.floor(requestBytesMax / (bytesMin + 1));
}
