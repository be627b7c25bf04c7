import { DefinitionError } from "../resource/definition-error.ts";
import { invalid } from "../problem/problem.ts";
import type { Json, Schema, ValidationRule } from "../structural/schema.ts";
import type { Field, Presence } from "./field.ts";
import type { Guard } from "./guard.ts";
import { toJson } from "./json.ts";

/** What a field is made of, apart from its methods. */
export interface State<P extends Presence = Presence> {
  readonly schema: Schema;
  readonly presence: P;
  readonly guards: readonly Guard[];
}

/** The methods that every field has. `Self` is the type of the field itself. */
export interface Common<Self> {
  /** Says what the field is for; shown by `kubectl explain`. */
  describe(text: string): Self;
  /** Adds a CEL rule on this field; `self` is its value, `oldSelf` the one before an update. */
  rule(rule: ValidationRule): Self;
  /**
   * Forbids every change on update: of the value, from absent to present, and back.
   *
   * An optional object around an immutable field cannot come or go either, as the field would with it. In a list
   * keyed by `mapBy` and in a map, whole items may still come and go.
   */
  immutable(message?: string): Self;
  /** Allows setting the field later, but neither a change nor a removal once it is set. */
  setOnce(message?: string): Self;
}

/** A state to start from. */
export function start(schema: Schema): State<"required"> {
  return { schema, presence: "required", guards: [] };
}

/** The state with some keywords of its schema replaced. */
export function withSchema<P extends Presence>(state: State<P>, changes: Schema): State<P> {
  return { ...state, schema: { ...state.schema, ...changes } };
}

/** The state of the same field when it may be missing. */
export function asOptional(state: State): State<"optional"> {
  return { ...state, presence: "optional" };
}

/** The state of the same field when it has a default. */
export function asDefaulted(state: State, value: unknown): State<"defaulted"> {
  return { ...state, presence: "defaulted", schema: { ...state.schema, default: defaultJson(value) } };
}

function defaultJson(value: unknown): Json {
  const json = toJson(value);
  if (json === undefined) throw new DefinitionError("a field", [invalid("default", {}, "must be JSON")]);
  return json;
}

/** The data of a field without its methods. */
export function dataOf<Out, In, P extends Presence>(state: State<P>): Field<Out, In, P> {
  return { schema: state.schema, presence: state.presence, guards: state.guards };
}

/** The methods that every field has, for one that `make` builds from a state. */
export function common<Self, P extends Presence>(state: State<P>, make: (state: State<P>) => Self): Common<Self> {
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
