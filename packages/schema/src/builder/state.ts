import { DefinitionError } from "../problem/definition-error.ts";
import { invalid } from "../problem/problem.ts";
import type { Schema, ValidationRule } from "../structural/schema.ts";
import type { Json } from "../value/json.ts";
import type { Field, Presence } from "./field.ts";
import type { Guard } from "./guard.ts";
import { toJson } from "./json.ts";

/** The data of a field, without its methods. */
export interface State<P extends Presence = Presence> {
  readonly schema: Schema;
  readonly presence: P;
  readonly guards: readonly Guard[];
}

/** The methods that every field has. `Self` is the type of the field itself. */
export interface FieldMethods<Self> {
  /** Sets the description of the field; shown by `kubectl explain`. */
  describe(text: string): Self;
  /** Adds a CEL rule on this field. `self` is its value, `oldSelf` its value before an update. */
  rule(rule: ValidationRule): Self;
  /**
   * Forbids every change on update: changing the value, setting a missing field, and removing the field.
   *
   * An optional object that contains an immutable field cannot be added or removed either, because the field would be added or
   * removed with it. Whole items of a `mapBy` list and entries of a map can still be added and removed.
   */
  immutable(message?: string): Self;
  /** Forbids changing or removing the field once it is set. An update may set a missing field. */
  setOnce(message?: string): Self;
}

/** Returns the state of a new, required field. */
export function start(schema: Schema): State<"required"> {
  return { schema, presence: "required", guards: [] };
}

/** Returns the state with some keywords of its schema replaced. */
export function withSchema<P extends Presence>(state: State<P>, changes: Schema): State<P> {
  return { ...state, schema: { ...state.schema, ...changes } };
}

/** Returns the state of the same field as optional. */
export function asOptional(state: State): State<"optional"> {
  return { ...state, presence: "optional" };
}

/** Returns the state of the same field with a default. Throws a `DefinitionError` if the default is not JSON. */
export function asDefaulted(state: State, value: unknown): State<"defaulted"> {
  return { ...state, presence: "defaulted", schema: { ...state.schema, default: defaultJson(value) } };
}

function defaultJson(value: unknown): Json {
  const json = toJson(value);
  if (json === undefined) throw new DefinitionError("a field", [invalid("default", {}, "must be JSON")]);
  return json;
}

/** Returns the properties of a field without its methods. */
export function dataOf<Out, In, P extends Presence>(state: State<P>): Field<Out, In, P> {
  return { schema: state.schema, presence: state.presence, guards: state.guards };
}

/** Returns the methods that every field has. `make` builds the field from the changed state. */
export function common<Self, P extends Presence>(state: State<P>, make: (state: State<P>) => Self): FieldMethods<Self> {
  return {
    describe: (text) => make(withSchema(state, { description: text })),
    rule: (rule) => make(withRule(state, rule)),
    immutable: (message = "field is immutable") => make(guarded(state, { path: [], mode: "fixed", message })),
    setOnce: (message = "field cannot be changed or removed once it is set") =>
      make(guarded(state, { path: [], mode: "kept", message })),
  };
}

function withRule<P extends Presence>(state: State<P>, rule: ValidationRule): State<P> {
  return withSchema(state, {
    "x-kubernetes-validations": [...(state.schema["x-kubernetes-validations"] ?? []), rule],
  });
}

function guarded<P extends Presence>(state: State<P>, guard: Guard): State<P> {
  const ruled = withRule(state, { rule: "self == oldSelf", message: guard.message });
  return { ...ruled, guards: [...state.guards, guard] };
}
