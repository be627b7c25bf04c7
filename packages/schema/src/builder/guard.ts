// Presence rules for immutable fields.
//
// The API server does not run the rule of a field when the field is missing. With `self == oldSelf` alone, a client could remove
// an immutable field with one update and set it to another value with the next. Therefore the enclosing objects get rules that
// the presence of the field does not change. If an enclosing object is optional itself, removing it would remove the field,
// so its own parent gets such a rule too, up to an object that is always present.

import type { ValidationRule } from "../structural/schema.ts";
import { celName, rulePath } from "./cel-name.ts";

/** A constraint that an update must not change whether a field is present. */
export interface Guard {
  /** Path from the field that carries the guard to the guarded field; empty for the field itself. */
  readonly path: readonly string[];
  /** `fixed`: an update can neither set nor remove the field. `kept`: it can set but not remove it. */
  readonly mode: "fixed" | "kept";
  readonly message: string;
}

/** A field of an object, with the properties that matter for guards. */
interface Child {
  readonly name: string;
  /** True if the field may be missing or `null`. CEL treats both the same: `has()` returns false. */
  readonly isOptional: boolean;
  readonly guards: readonly Guard[];
}

/** Turns the guards of the fields of an object into rules of the object and guards for the enclosing object. */
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
  // If the presence of the field itself is fixed, rules for the fields below it would be redundant.
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

/** Returns an expression that is true if all fields along `path` are present. Valid only if the field `name` is present. */
function below(root: string, name: string, path: readonly string[]): string {
  return path.map((_, index) => `has(${select(root, [name, ...path.slice(0, index + 1)])})`).join(" && ");
}

// A name that CEL cannot access results in an expression that does not compile; `defineResource` reports it.
function select(root: string, names: readonly string[]): string {
  return names.reduce((expression, name) => `${expression}.${celName(name) ?? name}`, root);
}
