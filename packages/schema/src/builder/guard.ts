// What "immutable" takes beyond comparing values: a rule on a field does not run when the field is missing, so a field
// could be removed and set anew. Therefore the objects around it watch that it neither comes nor goes.

import type { ValidationRule } from "../structural/schema.ts";
import { celName, rulePath } from "./cel-name.ts";

/** Something below a field whose presence an update must not change. */
export interface Guard {
  /** The names from the field that carries the guard to what is guarded; empty for the field itself. */
  readonly path: readonly string[];
  /** `fixed` neither comes nor goes; `kept` may come but does not go. */
  readonly mode: "fixed" | "kept";
  readonly message: string;
}

/** A child of an object, as far as its guards matter. */
interface Child {
  readonly name: string;
  /** Whether it may be absent or `null`, which is the same to CEL. */
  readonly isOptional: boolean;
  readonly guards: readonly Guard[];
}

/** What an object makes of the guards of its fields: rules of its own, and guards for the object around it. */
export function guardObject(children: readonly Child[]): { rules: ValidationRule[]; guards: Guard[] } {
  const rules: ValidationRule[] = [];
  const guards: Guard[] = [];
  for (const child of children) {
    rules.push(...rulesFor(child));
    for (const guard of child.guards) {
      const path = child.isOptional || guard.path.length > 0 ? [child.name, ...guard.path] : [];
      guards.push({ path, mode: guard.mode, message: guard.message });
    }
  }
  return { rules, guards };
}

function rulesFor({ name, isOptional, guards }: Child): ValidationRule[] {
  if (!isOptional) return [];
  // While the presence of the field itself is fixed, nothing below it can come or go with it.
  const own = guards.find((guard) => guard.path.length === 0 && guard.mode === "fixed");
  return (own === undefined ? guards : [own]).map((guard) => ({
    rule: presenceRule(name, guard),
    message: guard.message,
    fieldPath: rulePath([name, ...guard.path]),
  }));
}

function presenceRule(name: string, { path, mode }: Guard): string {
  const now = `has(${select("self", [name])})`;
  const before = `has(${select("oldSelf", [name])})`;
  const wasBelow = below("oldSelf", name, path);
  if (mode === "kept") return path.length === 0 ? `!${before} || ${now}` : `!${before} || ${now} || !(${wasBelow})`;
  if (path.length === 0) return `${now} == ${before}`;
  return `${now} == ${before} || !(${now} ? ${below("self", name, path)} : ${wasBelow})`;
}

/** Whether everything along `path` below the field is there, given that the field is. */
function below(root: string, name: string, path: readonly string[]): string {
  return path.map((_, index) => `has(${select(root, [name, ...path.slice(0, index + 1)])})`).join(" && ");
}

// A name that CEL cannot spell yields an expression that does not compile, which the definition then reports.
function select(root: string, names: readonly string[]): string {
  return names.reduce((expression, name) => `${expression}.${celName(name) ?? name}`, root);
}
