import type { Json } from "../value/json.ts";

/**
 * A parsed schema node: every keyword is present, and maps replace objects.
 *
 * A missing keyword has Go's zero value, as in the API server: `""`, `false`, an empty list or map, or `undefined` if absence has a
 * meaning of its own (a pointer in Go).
 */
export interface SchemaNode {
  /** One of the six types, or `""`. `checkNode` reports anything else. */
  readonly type: string;
  readonly format: string;
  readonly title: string;
  readonly description: string;
  /** Undefined if there is none. A default of `null` counts as none. */
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

  /** Undefined if absent. `false` is forbidden, so it is kept to be reported. */
  readonly preserveUnknownFields: boolean | undefined;
  readonly embeddedResource: boolean;
  readonly intOrString: boolean;
  readonly listType: string | undefined;
  readonly listMapKeys: readonly string[];
  readonly mapType: string | undefined;
  readonly rules: readonly RuleNode[];

  /** Keywords that are present with a value other than Go's zero value, in order of reading. */
  readonly keywords: ReadonlySet<string>;
  /** Schemas of an `items` array. This is never allowed; they are kept to report the problems inside them too. */
  readonly itemsList: readonly SchemaNode[];
  /** Schemas below `definitions` and `dependencies`, which are never allowed, by their path below this node. */
  readonly misplaced: ReadonlyMap<string, SchemaNode>;
}

/** A parsed validation rule. Missing strings are `""`. */
export interface RuleNode {
  readonly rule: string;
  readonly message: string;
  readonly messageExpression: string;
  /** Any string; `checkRuleText` reports unknown reasons. */
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

/** Returns `additionalProperties` if it is a schema, otherwise undefined. */
export function additionalSchema(node: SchemaNode): SchemaNode | undefined {
  return typeof node.additionalProperties === "object" ? node.additionalProperties : undefined;
}
