import { isRecord, once } from "@homeostat/core";
import { compileDefaulter, type Defaulter } from "../defaulting/defaults.ts";
import { compileNullDropper, type NullDropper } from "../defaulting/nulls.ts";
import { prepareDefaults } from "../defaulting/prepare-defaults.ts";
import { compileMetaCoercer, type MetaCoercer } from "../metadata/coerce.ts";
import { checkEmbedded, hasEmbedded } from "../metadata/embedded.ts";
import { invalid, type Problem, type ProblemType } from "../problem/problem.ts";
import { compilePruner, type Pruner } from "../pruning/prune.ts";
import { Ratchet } from "../rules/ratchet.ts";
import { compileRuleTree, type RuleTree } from "../rules/rule-tree.ts";
import { RuleRun } from "../rules/run-rules.ts";
import { type CheckSchemaOptions, readAndCheck, readUnchecked } from "../schema-checks/check-schema.ts";
import type { SchemaNode } from "../structural/node.ts";
import { hasKey } from "../value/record.ts";
import { Correlation } from "../validation/correlation.ts";
import { examine } from "../validation/examine.ts";
import { compileListTypeCheck, type ListTypeCheck } from "../validation/list-types.ts";
import { compileCheck, type Check } from "../validation/quick-check.ts";
import { InvalidSchemaError } from "./invalid-schema-error.ts";

/** The result of {@link CompiledSchema.prune}. */
export interface Pruned {
  readonly value: unknown;
  /**
   * Paths of dropped fields, in the order in which the API server reports them: those of the metadata, then those unknown to the
   * schema, then those of the metadata of embedded resources, each group sorted.
   */
  readonly dropped: readonly string[];
  /** Problems of metadata that cannot be decoded. The API server reports only the first and stops there. */
  readonly malformed: readonly Problem[];
}

/** The result of {@link CompiledSchema.process}. */
export interface Processed extends Pruned {
  /** All problems; empty if the API server would store the value. */
  readonly problems: readonly Problem[];
}

/** Options of a validation. */
export interface UpdateOptions {
  /** The object before the update. Without it the value is validated as a new object. */
  readonly old?: unknown;
  /**
   * True to skip the entries of a list or map that exceeds its limit and has more than 1,000 entries, for values of untrusted clients: 24,000
   * entries take 200 ms.
   * The API server validates them all.
   */
  readonly skipsOversized?: boolean | undefined;
}

/** Problems found by other checks, to be merged in the order of the API server. */
export interface OtherProblems {
  /** Problems that are listed first: those of the metadata. */
  readonly before?: readonly Problem[];
  /** Problems that are listed after those of the schema: those of the scale subresource. */
  readonly after?: readonly Problem[];
}

/**
 * A compiled schema, to be used for many objects.
 *
 * No method modifies its arguments: results share unchanged parts with the argument and copy the rest. A property with the value
 * `undefined` counts as missing.
 */
export interface CompiledSchema {
  /** Drops unknown fields, and nulls that mean absence. Returns the paths of dropped fields, except those of nulls. */
  prune(value: unknown): Pruned;
  /** Applies defaults. */
  applyDefaults(value: unknown): unknown;
  /**
   * Returns all problems of a value that was pruned and defaulted: schema, embedded resources, list types, rules.
   *
   * With an old object, problems of unchanged parts are ignored (ratcheting), and transition rules run. Problems are in the order
   * of the schema, those of a node before those of its children; the API server has no fixed order. The problems of
   * `OtherProblems` are included, and like others may prevent rules from running.
   */
  validate(value: unknown, options?: UpdateOptions & OtherProblems): Problem[];
  /**
   * Returns all problems of an object after a write to its status subresource. Only the status is validated against the schema;
   * rules and list types are checked for the whole object.
   */
  validateStatus(value: unknown, options: { readonly old: unknown } & OtherProblems): Problem[];
  /** Prunes, defaults and validates a value, as the API server does before it stores an object. */
  process(value: unknown, options?: UpdateOptions): Processed;
}

/**
 * Compiles a schema. Compilation is much slower than validation, so compile each schema only once.
 *
 * @throws InvalidSchemaError with all problems of the schema.
 *
 * @example
 * const schema = compileSchema({ type: "object", properties: { spec: { type: "object", properties: { size: { type: "integer" } } } } });
 * schema.validate({ spec: { size: "big" } }).map(formatProblem);
 * // ['spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"']
 */
export function compileSchema(schema: unknown, options: CheckSchemaOptions = {}): CompiledSchema {
  const { node, problems } = readAndCheck(schema, options);
  if (problems.length > 0) throw new InvalidSchemaError(problems);
  return new Engine(() => node);
}

/** The result of {@link deferSchema}. */
export interface DeferredSchema {
  readonly compiled: CompiledSchema;
  /** Checks the schema, at the first call, and returns all problems. If there are any, `compiled` must not be used for validation. */
  readonly problems: () => readonly Problem[];
}

/** Prepares a schema without parsing, checking or compiling it before its first use. */
export function deferSchema(schema: unknown, options: CheckSchemaOptions = {}): DeferredSchema {
  const read = once(() => readUnchecked(schema, options));
  return { compiled: new Engine(() => read().node), problems: once(() => read().check()) };
}

/** Problem types after which the API server does not run rules: the value may not have the type that they expect. */
const blockingTypes: ReadonlySet<ProblemType> = new Set([
  "NotSupported",
  "Required",
  "TooLong",
  "TooMany",
  "TypeInvalid",
]);

/** Parts of an {@link Engine} that pruning needs. */
interface Pruning {
  readonly pruner: Pruner;
  readonly coercer: MetaCoercer;
  readonly nullDropper: NullDropper;
}

/** Parts of an {@link Engine} that validation needs. */
interface Validation {
  readonly node: SchemaNode;
  readonly isValid: Check;
  readonly listTypes: ListTypeCheck | undefined;
  readonly rules: RuleTree | undefined;
  readonly embeds: boolean;
}

/** Compiles each part on its first use: many programs only apply defaults, and rules are the largest part. */
class Engine implements CompiledSchema {
  private readonly pruning: () => Pruning;
  private readonly defaulter: () => Defaulter;
  private readonly validation: () => Validation;

  constructor(readNode: () => SchemaNode) {
    this.pruning = once(() => {
      const node = readNode();
      return {
        pruner: compilePruner(node, { isResource: true }),
        coercer: compileMetaCoercer(node, { isResource: true }),
        nullDropper: compileNullDropper(node),
      };
    });
    this.defaulter = once(() => compileDefaulter(prepareDefaults(readNode())));
    this.validation = once(() => {
      const node = readNode();
      return {
        node,
        isValid: compileCheck(node),
        listTypes: compileListTypeCheck(node),
        rules: compileRuleTree(node, { isResource: true }),
        embeds: hasEmbedded(node),
      };
    });
  }

  prune(value: unknown): Pruned {
    const { pruner, coercer, nullDropper } = this.pruning();
    const unknown: string[] = [];
    const metadata: string[] = [];
    const malformed: Problem[] = [];
    const pruned = nullDropper(pruner(value, unknown));
    const coerced = coercer(pruned, { dropped: metadata, malformed });
    const isOwn = (path: string): boolean => path.startsWith("metadata.");
    const dropped = [...metadata.filter(isOwn), ...unknown, ...metadata.filter((path) => !isOwn(path))];
    return { value: coerced, dropped, malformed };
  }

  applyDefaults(value: unknown): unknown {
    return this.defaulter()(value);
  }

  validate(
    value: unknown,
    { old, skipsOversized, before = [], after = [] }: UpdateOptions & OtherProblems = {},
  ): Problem[] {
    const { node, isValid, listTypes, rules, embeds } = this.validation();
    const correlation = old === undefined ? undefined : new Correlation(node, value, old);
    const problems: Problem[] = [...before];
    if (!isValid(value)) {
      const how = { as: "value", skipsOversized } as const;
      const findings = examine(node, value, { base: "", name: "" }, how, correlation);
      problems.push(...findings.problems());
    }
    problems.push(...after);
    if (embeds) problems.push(...checkEmbedded(node, value, ""));
    // Ratcheting: an object that had duplicates before the update may keep them.
    if (listTypes !== undefined && (old === undefined || listTypes(old, "").length === 0)) {
      problems.push(...listTypes(value, ""));
    }
    if (rules === undefined) return problems;
    return [...problems, ...this.runRules(rules, value, old, problems, correlation)];
  }

  validateStatus(
    value: unknown,
    { old, before = [], after = [] }: { readonly old: unknown } & OtherProblems,
  ): Problem[] {
    const { node: root, listTypes, rules } = this.validation();
    const correlation = new Correlation(root, value, old);
    const node = root.properties.get("status");
    const problems: Problem[] = [...before];
    if (node !== undefined && isRecord(value) && hasKey(value, "status")) {
      const location = { base: "status", name: "" };
      const findings = examine(node, value["status"], location, { as: "value" }, correlation.key("status"));
      problems.push(...findings.problems());
    }
    problems.push(...after);
    const listTypeProblems = listTypes?.(value, "") ?? [];
    if (listTypeProblems.length > 0 && listTypes?.(old, "").length === 0) problems.push(...listTypeProblems);
    if (rules === undefined) return problems;
    return [...problems, ...this.runRules(rules, value, old, problems, correlation)];
  }

  process(value: unknown, { old, skipsOversized }: UpdateOptions = {}): Processed {
    const { value: pruned, dropped, malformed } = this.prune(value);
    const filled = this.applyDefaults(pruned);
    const before = old === undefined ? {} : { old: this.applyDefaults(this.prune(old).value) };
    const options = { ...before, skipsOversized };
    const problems = malformed.length === 0 ? this.validate(filled, options) : malformed.slice(0, 1);
    return { value: filled, dropped, malformed, problems };
  }

  private runRules(
    rules: RuleTree,
    value: unknown,
    old: unknown,
    problems: readonly Problem[],
    correlation: Correlation | undefined,
  ): Problem[] {
    if (problems.some(({ type }) => blockingTypes.has(type))) {
      const detail =
        "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";
      return [invalid("", { value: null }, detail)];
    }
    const run = new RuleRun();
    run.run(rules, value, old, "", new Ratchet(correlation));
    return run.problems;
  }
}
