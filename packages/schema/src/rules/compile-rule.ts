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

/** A rule ready to run. */
export interface CompiledRule {
  readonly source: RuleNode;
  readonly program: Program;
  /** Whether the rule looks at the value before an update. */
  readonly usesOldSelf: boolean;
  readonly message: Program | undefined;
  /** Where problems are reported, below the node; empty for the node itself. */
  readonly fieldPath: string;
}

/** What became of a rule. */
export interface RuleCompilation {
  /** Absent when the rule does not compile. */
  readonly rule?: CompiledRule;
  /** Why the rule does not compile. */
  readonly problem?: string;
  /** Why the message expression does not compile. */
  readonly messageProblem?: string;
  /** The most an evaluation can cost. */
  readonly costMax: number;
  readonly messageCostMax: number;
}

/** The name of the type of `self` where it is an object. It cannot be written in an expression. */
const selfTypeName = "object";

/** The rules of a node, and how they see its values. */
export interface NodeRules {
  readonly shape: NodeShape;
  /** In the order of the rules; `undefined` for an empty one, which the checks report. */
  readonly compilations: readonly (RuleCompilation | undefined)[];
}

/** Compiling is dear, and the checks have done it by the time the rules are put to use. */
const done = new WeakMap<SchemaNode, { readonly isResource: boolean; readonly rules: NodeRules | undefined }>();

/** Compiles the rules of a node; `undefined` when rules cannot see its values. */
export function compileRules(node: SchemaNode, { isResource }: { isResource: boolean }): NodeRules | undefined {
  const known = done.get(node);
  if (known?.isResource === isResource) return known.rules;
  const rules = compile(node, isResource);
  done.set(node, { isResource, rules });
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
  const compileText = (text: string, wanted: CelType): Program | Failed => {
    try {
      const program = environment.compile(text);
      return program.resultType.kind === wanted.kind ? program : "mistyped";
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

/** Why an expression is of no use: it does not compile, or its result has the wrong type. */
type Failed = CelCompileError | "mistyped";

function isFailed(result: Program | Failed): result is Failed {
  return result === "mistyped" || result instanceof CelCompileError;
}

function describe(failed: Failed, [compilation, instantiation, mistyped]: readonly [string, string, string]): string {
  if (failed === "mistyped") return mistyped;
  return `${failed.stage === "instantiation" ? instantiation : compilation}: ${failed.message}`;
}

/** How large a part can be, by its path below the variable; `undefined` when the shape does not tell. */
function sizeAt(shape: JsonShape, path: readonly string[]): Range | undefined {
  let at: JsonShape | undefined = shape;
  for (const step of path) {
    if (at.kind === "list" && step === "@items") at = at.items;
    else if (at.kind === "map" && step === "@values") at = at.values;
    // Nothing bounds the keys of a map, and the API server takes that for zero.
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
