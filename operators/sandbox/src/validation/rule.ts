import type { Problem, ResourceVersion } from "@homeostat/schema";
import { isAboutSkippedRules } from "../api/schema-problems.ts";
import type { OperatorConfig } from "../settings/config.ts";
import { type ObjectProblem, problemOf } from "./problem.ts";

/** Values outside of an object that its rules depend on. */
export interface RuleContext {
  /** Namespace of the object. */
  readonly namespace: string;
  readonly config: Pick<OperatorConfig, "limits" | "preview">;
}

/** A named rule for objects of one kind. */
export interface Rule<T> {
  /** The name in documentation and tests, and the code of its problems: `TargetDuplicate`. */
  readonly name: string;
  check(this: void, object: T, context: RuleContext): Iterable<Problem>;
}

/** Returns a rule. */
export function rule<T>(name: string, check: (object: T, context: RuleContext) => Iterable<Problem>): Rule<T> {
  return { name, check };
}

/** The schema of a kind and the rules beyond it. */
export interface Validation<T> {
  readonly resource: Pick<ResourceVersion, "apiVersion" | "kind" | "check">;
  readonly rules: readonly Rule<T>[];
  /** Returns an object with the defaults of its schema. */
  complete(this: void, object: T): T;
}

/** The part of an object that is validated. */
export interface Validated {
  readonly metadata: { readonly name?: string | undefined };
  readonly spec: unknown;
}

const malformed = new Set<Problem["type"]>(["TypeInvalid", "Required", "Internal"]);
const oversized = new Set<Problem["type"]>(["TooLong", "TooMany"]);

/**
 * Returns all problems of an object.
 *
 * The API server has checked the schema before it calls a webhook. It is checked again, because a stored object may be older than the current CRD,
 * and because controllers call this function for objects that no webhook has checked.
 */
export function validateObject<T extends Validated>(
  object: T,
  { resource, rules, complete }: Validation<T>,
  context: RuleContext,
): readonly ObjectProblem[] {
  // Checks only the name and the spec, because checking thousands of annotations would take too long.
  const { apiVersion, kind } = resource;
  const given = { apiVersion, kind, metadata: { name: object.metadata.name ?? "" }, spec: object.spec };
  const shape = resource.check(given).filter((problem) => !isAboutSkippedRules(problem));
  const ofSchema = shape.map((problem) => problemOf("SchemaInvalid", problem));
  // Rules rely on the types of fields, and on their limits: a map with 20,000 entries would block the event loop.
  if (shape.some(({ type }) => malformed.has(type) || oversized.has(type))) return ofSchema;
  const completed = complete(object);
  const broken = rules.flatMap((each) =>
    [...each.check(completed, context)].map((problem) => problemOf(each.name, problem)),
  );
  const reported = broken.map(({ path }) => path);
  return [...broken, ...ofSchema.filter(({ path }) => !isReported(path, reported))];
}

/** Reports whether a rule has reported a problem at a path or below it: the CEL rule of a map reports the map, the rule its entry. */
function isReported(path: string, reported: readonly string[]): boolean {
  return reported.some((each) => each === path || each.startsWith(`${path}.`) || each.startsWith(`${path}[`));
}
