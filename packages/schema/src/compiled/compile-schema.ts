import { isRecord } from "@homeostat/core";
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
import { readAndCheck, type CheckSchemaOptions } from "../structural/check-schema.ts";
import type { SchemaNode } from "../structural/node.ts";
import { hasKey } from "../value/record.ts";
import { Correlation } from "../validation/correlation.ts";
import { examine } from "../validation/examine.ts";
import { compileListTypeCheck, type ListTypeCheck } from "../validation/list-types.ts";
import { compileCheck, type Check } from "../validation/quick-check.ts";
import { InvalidSchemaError } from "./invalid-schema-error.ts";

/** What {@link CompiledSchema.prune} answers. */
export interface Pruned {
  readonly value: unknown;
  /**
   * The paths of fields that were dropped, as the API server complains of them: those of the metadata first, then those of
   * the schema, then those of embedded resources, each sorted.
   */
  readonly dropped: readonly string[];
  /** Metadata that cannot be read. The API server names the first and goes no further. */
  readonly malformed: readonly Problem[];
}

/** What {@link CompiledSchema.process} answers. */
export interface Processed extends Pruned {
  /** What is wrong with the value; empty when the API server would store it. */
  readonly problems: readonly Problem[];
}

/** The object before an update. */
export interface UpdateOptions {
  readonly old?: unknown;
}

/** What others found wrong with an object, for a list of problems in the order of the API server. */
export interface FoundElsewhere {
  /** Comes first: what is wrong with its metadata. */
  readonly before?: readonly Problem[];
  /** Comes after the problems of the schema: what is wrong with its scale. */
  readonly beside?: readonly Problem[];
}

/**
 * A schema made ready for use on many objects.
 *
 * Nothing here changes the object it is given: results are copies where they differ, and share the rest. A property that
 * is `undefined` counts as absent.
 */
export interface CompiledSchema {
  /** Drops unknown fields, and nulls that stand for absence. Says what it dropped, nulls aside. */
  prune(value: unknown): Pruned;
  /** Fills in defaults. */
  applyDefaults(value: unknown): unknown;
  /**
   * Everything that is wrong with a value, after pruning and defaulting: schema, embedded resources, list types, rules.
   *
   * With an old object, what did not change is not complained about, and rules about change run. Problems come in the
   * order of the schema: at each node its own first. The API server gives them in no fixed order. What was found elsewhere is
   * in the list, and like the rest may keep rules from running.
   */
  validate(value: unknown, options?: UpdateOptions & FoundElsewhere): Problem[];
  /**
   * Everything that is wrong after a write of the status alone: the rest of the object is not looked at, save by rules and
   * for its list types.
   */
  validateStatus(value: unknown, options: { readonly old: unknown } & FoundElsewhere): Problem[];
  /** What the API server does with a value before it stores it: prune, default, validate. */
  process(value: unknown, options?: UpdateOptions): Processed;
}

/**
 * Compiles a schema. Do it once for each schema: it is much slower than what the result does.
 *
 * @throws InvalidSchemaError with everything that is wrong with the schema.
 *
 * @example
 * const schema = compileSchema({ type: "object", properties: { spec: { type: "object", properties: { size: { type: "integer" } } } } });
 * schema.validate({ spec: { size: "big" } }).map(formatProblem);
 * // ['spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"']
 */
export function compileSchema(schema: unknown, options: CheckSchemaOptions = {}): CompiledSchema {
  const { node, problems } = readAndCheck(schema, options);
  if (problems.length > 0) throw new InvalidSchemaError(problems);
  return new Engine(node);
}

/** After one of these, rules might stumble over the value instead of judging it. */
const blocking: ReadonlySet<ProblemType> = new Set(["NotSupported", "Required", "TooLong", "TooMany", "TypeInvalid"]);

class Engine implements CompiledSchema {
  private readonly node: SchemaNode;
  private readonly pruner: Pruner;
  private readonly coercer: MetaCoercer;
  private readonly nullDropper: NullDropper;
  private readonly defaulter: Defaulter;
  private readonly isValid: Check;
  private readonly listTypes: ListTypeCheck | undefined;
  private readonly rules: RuleTree | undefined;
  private readonly embeds: boolean;

  constructor(node: SchemaNode) {
    this.node = node;
    this.pruner = compilePruner(node, { isResource: true });
    this.coercer = compileMetaCoercer(node, { isResource: true });
    this.nullDropper = compileNullDropper(node);
    this.defaulter = compileDefaulter(prepareDefaults(node));
    this.isValid = compileCheck(node);
    this.listTypes = compileListTypeCheck(node);
    this.rules = compileRuleTree(node, { isResource: true });
    this.embeds = hasEmbedded(node);
  }

  prune(value: unknown): Pruned {
    const found: string[] = [];
    const noted: string[] = [];
    const malformed: Problem[] = [];
    const pruned = this.nullDropper(this.pruner(value, found));
    const coerced = this.coercer(pruned, { dropped: noted, malformed });
    const isOwn = (path: string): boolean => path.startsWith("metadata.");
    const dropped = [...noted.filter(isOwn), ...found, ...noted.filter((path) => !isOwn(path))];
    return { value: coerced, dropped, malformed };
  }

  applyDefaults(value: unknown): unknown {
    return this.defaulter(value);
  }

  validate(value: unknown, { old, before = [], beside = [] }: UpdateOptions & FoundElsewhere = {}): Problem[] {
    const correlation = old === undefined ? undefined : new Correlation(this.node, value, old);
    const problems: Problem[] = [...before];
    if (!this.isValid(value)) {
      const findings = examine(this.node, value, { base: "", name: "" }, { as: "value" }, correlation);
      problems.push(...findings.problems());
    }
    problems.push(...beside);
    if (this.embeds) problems.push(...checkEmbedded(this.node, value, ""));
    // An object that broke this rule before may go on to do so.
    if (this.listTypes !== undefined && (old === undefined || this.listTypes(old, "").length === 0)) {
      problems.push(...this.listTypes(value, ""));
    }
    if (this.rules === undefined) return problems;
    return [...problems, ...this.runRules(this.rules, value, old, problems, correlation)];
  }

  validateStatus(
    value: unknown,
    { old, before = [], beside = [] }: { readonly old: unknown } & FoundElsewhere,
  ): Problem[] {
    const correlation = new Correlation(this.node, value, old);
    const node = this.node.properties.get("status");
    const problems: Problem[] = [...before];
    if (node !== undefined && isRecord(value) && hasKey(value, "status")) {
      const place = { base: "status", name: "" };
      const findings = examine(node, value["status"], place, { as: "value" }, correlation.key("status"));
      problems.push(...findings.problems());
    }
    problems.push(...beside);
    const unlisted = this.listTypes?.(value, "") ?? [];
    if (unlisted.length > 0 && this.listTypes?.(old, "").length === 0) problems.push(...unlisted);
    if (this.rules === undefined) return problems;
    return [...problems, ...this.runRules(this.rules, value, old, problems, correlation)];
  }

  process(value: unknown, { old }: UpdateOptions = {}): Processed {
    const { value: pruned, dropped, malformed } = this.prune(value);
    const filled = this.applyDefaults(pruned);
    const before = old === undefined ? {} : { old: this.applyDefaults(this.prune(old).value) };
    const problems = malformed.length === 0 ? this.validate(filled, before) : malformed.slice(0, 1);
    return { value: filled, dropped, malformed, problems };
  }

  private runRules(
    rules: RuleTree,
    value: unknown,
    old: unknown,
    problems: readonly Problem[],
    correlation: Correlation | undefined,
  ): Problem[] {
    if (problems.some(({ type }) => blocking.has(type))) {
      const detail =
        "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";
      return [invalid("", { value: null }, detail)];
    }
    const run = new RuleRun();
    run.run(rules, value, old, "", new Ratchet(correlation));
    return run.problems;
  }
}
