import type { Json } from "./schema.ts";

/**
 * A schema node as the engine works with it: every keyword present, maps instead of objects.
 *
 * A keyword that was not written has the value a Go program would see: `""`, `false`, an empty list or map, or
 * `undefined` where absence means something else than zero.
 */
export interface SchemaNode {
  /** One of the six types, or `""`. Anything else is reported by the checks and matches no value. */
  readonly type: string;
  readonly format: string;
  readonly title: string;
  readonly description: string;
  /** `undefined` when there is none; a default of `null` is none. */
  readonly default: Json | undefined;
  readonly nullable: boolean;

  readonly properties: ReadonlyMap<string, SchemaNode>;
  readonly required: readonly string[];
  readonly additionalProperties: SchemaNode | boolean | undefined;
  readonly minProperties: number | undefined;
  readonly maxProperties: number | undefined;

  readonly items: SchemaNode | undefined;
  readonly minItems: number | undefined;
  readonly maxItems: number | undefined;

  readonly minLength: number | undefined;
  readonly maxLength: number | undefined;
  readonly pattern: string;
  readonly enum: readonly Json[];

  readonly minimum: number | undefined;
  readonly maximum: number | undefined;
  readonly exclusiveMinimum: boolean;
  readonly exclusiveMaximum: boolean;
  readonly multipleOf: number | undefined;

  readonly allOf: readonly SchemaNode[];
  readonly anyOf: readonly SchemaNode[];
  readonly oneOf: readonly SchemaNode[];
  readonly not: SchemaNode | undefined;

  /** `false` is not the same as absent: it is forbidden. */
  readonly preserveUnknownFields: boolean | undefined;
  readonly embeddedResource: boolean;
  readonly intOrString: boolean;
  readonly listType: string | undefined;
  readonly listMapKeys: readonly string[];
  readonly mapType: string | undefined;
  readonly rules: readonly RuleNode[];

  /** Keywords that were written with a value other than Go's zero, in their order. */
  readonly keywords: ReadonlySet<string>;
  /** Several schemas for `items`: never allowed, kept so that what is wrong in them is reported too. */
  readonly itemsList: readonly SchemaNode[];
  /** Schemas below `definitions` and `dependencies`, which are never allowed, with their places below this node. */
  readonly misplaced: ReadonlyMap<string, SchemaNode>;
}

/** A validation rule with every field present; `""` where it was not written. */
export interface RuleNode {
  readonly rule: string;
  readonly message: string;
  readonly messageExpression: string;
  /** Any text; the checks report what is not a reason. */
  readonly reason: string | undefined;
  readonly fieldPath: string;
  readonly optionalOldSelf: boolean | undefined;
}

const noSchemas: ReadonlyMap<string, SchemaNode> = new Map();

/** The node of the schema `{}`. */
export const emptyNode: SchemaNode = {
  type: "",
  format: "",
  title: "",
  description: "",
  default: undefined,
  nullable: false,
  properties: noSchemas,
  required: [],
  additionalProperties: undefined,
  minProperties: undefined,
  maxProperties: undefined,
  items: undefined,
  minItems: undefined,
  maxItems: undefined,
  minLength: undefined,
  maxLength: undefined,
  pattern: "",
  enum: [],
  minimum: undefined,
  maximum: undefined,
  exclusiveMinimum: false,
  exclusiveMaximum: false,
  multipleOf: undefined,
  allOf: [],
  anyOf: [],
  oneOf: [],
  not: undefined,
  preserveUnknownFields: undefined,
  embeddedResource: false,
  intOrString: false,
  listType: undefined,
  listMapKeys: [],
  mapType: undefined,
  rules: [],
  keywords: new Set(),
  itemsList: [],
  misplaced: noSchemas,
};

/** The schema of the values of undeclared properties, when there is one. */
export function additionalSchema(node: SchemaNode): SchemaNode | undefined {
  return typeof node.additionalProperties === "object" ? node.additionalProperties : undefined;
}
