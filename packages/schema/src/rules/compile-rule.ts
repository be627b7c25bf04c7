import {
  boolType,
  CelCompileError,
  escapeName,
  optionalType,
  stringType,
  typeOfShape,
  type CelType,
  type Environment,
  type JsonShape,
  type Program,
  type Range,
} from "@homeostat/cel";
import type { RuleNode, SchemaNode } from "../structural/node.ts";
import { ruleEnvironment } from "./environment.ts";
import { normalizeFieldPath } from "./field-path.ts";
import { shapeOf, type NodeShape } from "./shape.ts";

/** A compiled rule. */
export interface CompiledRule {
  readonly source: RuleNode;
  readonly program: Program;
  /** True if the rule uses `oldSelf`, which makes it a transition rule. */
  readonly usesOldSelf: boolean;
  readonly message: Program | undefined;
  /** Path, relative to the node, that problems are reported for; empty for the node itself. */
  readonly fieldPath: string;
}

/** The result of compiling a rule. */
export interface RuleCompilation {
  /** Absent if the rule does not compile. */
  readonly rule?: CompiledRule;
  /** The error if the rule does not compile. */
  readonly problem?: string;
  /** The error if the message expression does not compile. */
  readonly messageProblem?: string;
  /** Estimated maximum cost of one evaluation. */
  readonly costMax: number;
  readonly messageCostMax: number;
}

/** Type name of `self` if it is an object. Expressions cannot refer to it. */
const selfTypeName = "object";

/** The compiled rules of a node, and the shape of its values in CEL. */
export interface NodeRules {
  readonly shape: NodeShape;
  /** In the order of the rules. Undefined for an empty rule, which `checkRuleText` reports. */
  readonly compilations: readonly (RuleCompilation | undefined)[];
}

/** Cache of compiled rules. Compilation is expensive, and both the schema check and the validator need the result. */
const cache = new WeakMap<SchemaNode, { readonly isResource: boolean; readonly rules: NodeRules | undefined }>();

/** Compiles the rules of a node. Returns undefined if CEL cannot access its values. */
export function compileRules(node: SchemaNode, { isResource }: { isResource: boolean }): NodeRules | undefined {
  const cached = cache.get(node);
  if (cached?.isResource === isResource) return cached.rules;
  const rules = compile(node, isResource);
  cache.set(node, { isResource, rules });
  return rules;
}

function compile(node: SchemaNode, isResource: boolean): NodeRules | undefined {
  const shape = shapeOf(node, { isResource });
  const type = shape && typeOfShape(shape.shape, selfTypeName);
  if (shape === undefined || type === undefined) return undefined;
  let plain: Environment | undefined;
  let optional: Environment | undefined;
  const compilations = node.rules.map((rule) => {
    if (rule.rule.trim() === "") return undefined;
    if (rule.optionalOldSelf === true) {
      optional ??= ruleEnvironment({ self: type, oldSelf: optionalType(type) });
      return compileRule(rule, node, shape.shape, optional);
    }
    plain ??= ruleEnvironment({ self: type, oldSelf: type });
    return compileRule(rule, node, shape.shape, plain);
  });
  return { shape, compilations };
}

function compileRule(source: RuleNode, node: SchemaNode, shape: JsonShape, environment: Environment): RuleCompilation {
  const compileText = (text: string, expected: CelType): Program | Failed => {
    try {
      const program = environment.compile(text);
      return program.resultType.kind === expected.kind ? program : "mistyped";
    } catch (error) {
      if (error instanceof CelCompileError) return error;
      throw error;
    }
  };
  const program = compileText(source.rule, boolType);
  if (isFailed(program)) {
    const problem = describe(program, [
      "compilation failed",
      "program instantiation failed",
      "cel expression must evaluate to a bool",
    ]);
    return { problem, costMax: 0, messageCostMax: 0 };
  }
  const sizes = (path: readonly string[]): Range | undefined => sizeAt(shape, path.slice(1));
  const costMax = program.estimateCost(sizes).max;
  const fieldPath = source.fieldPath === "" ? "" : (normalizeFieldPath(source.fieldPath, node) ?? "");
  const rule = { source, program, usesOldSelf: program.usesVariable("oldSelf"), message: undefined, fieldPath };
  if (source.messageExpression === "") return { rule, costMax, messageCostMax: 0 };
  const message = compileText(source.messageExpression, stringType);
  if (!isFailed(message)) {
    return { rule: { ...rule, message }, costMax, messageCostMax: message.estimateCost(sizes).max };
  }
  const messageProblem = describe(message, [
    "messageExpression compilation failed",
    "messageExpression instantiation failed",
    "messageExpression must evaluate to a string",
  ]);
  return { rule, messageProblem, costMax, messageCostMax: 0 };
}

/** The reason why an expression cannot be used: it does not compile, or its result has the wrong type. */
type Failed = CelCompileError | "mistyped";

function isFailed(result: Program | Failed): result is Failed {
  return result === "mistyped" || result instanceof CelCompileError;
}

function describe(failed: Failed, [compilation, instantiation, mistyped]: readonly [string, string, string]): string {
  if (failed === "mistyped") return mistyped;
  return `${failed.stage === "instantiation" ? instantiation : compilation}: ${failed.message}`;
}

/** Returns the size range of the value at a path below the variable; undefined if the shape does not describe it. */
function sizeAt(shape: JsonShape, path: readonly string[]): Range | undefined {
  let at: JsonShape | undefined = shape;
  for (const step of path) {
    if (at.kind === "list" && step === "@items") at = at.items;
    else if (at.kind === "map" && step === "@values") at = at.values;
    // Map keys have no length limit in a schema; the API server estimates them as size zero.
    else if (at.kind === "map" && step === "@keys") return { min: 0, max: 0 };
    else if (at.kind === "object") at = propertyNamed(at.properties, step);
    else return undefined;
    if (at === undefined) return undefined;
  }
  return { min: 0, max: at.maxElements ?? 0 };
}

function propertyNamed(properties: ReadonlyMap<string, JsonShape>, field: string): JsonShape | undefined {
  for (const [name, shape] of properties) if (escapeName(name) === field) return shape;
  return undefined;
}
