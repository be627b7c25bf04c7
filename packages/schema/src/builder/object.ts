import { DefinitionError } from "../problem/definition-error.ts";
import { invalid } from "../problem/problem.ts";
import type { Schema, ValidationRule } from "../structural/schema.ts";
import { celName } from "./cel-name.ts";
import type { Field, Fields, FieldsInput, FieldsOutput, Flatten, Presence } from "./field.ts";
import { guardObject } from "./guard.ts";
import { isListWithoutType, listTypeMissing } from "./list.ts";
import { asDefaulted, asOptional, type FieldMethods, common, dataOf, type State, withSchema } from "./state.ts";

/** Names of the optional fields of `T`. */
export type OptionalName<T> = { [K in keyof T & string]-?: undefined extends T[K] ? K : never }[keyof T & string];

/** An object with named fields. */
export interface ObjectField<Out = object, In = Out, P extends Presence = "required">
  extends Field<Out, In, P>, FieldMethods<ObjectField<Out, In, P>> {
  /** Adds fields, for example to an embedded core type. Throws a `DefinitionError` if a field of that name exists. */
  extend<F extends Fields>(
    fields: F,
  ): ObjectField<Flatten<NonNullable<Out> & FieldsOutput<F>>, Flatten<NonNullable<In> & FieldsInput<F>>, P>;
  /** Sets the minimum number of fields that are set. */
  min(count: number): ObjectField<Out, In, P>;
  /** Sets the maximum number of fields that are set. */
  max(count: number): ObjectField<Out, In, P>;
  /** Requires exactly one of these fields (a union). */
  exactlyOneOf(...names: readonly OptionalName<NonNullable<Out>>[]): ObjectField<Out, In, P>;
  /** Allows at most one of these fields. */
  atMostOneOf(...names: readonly OptionalName<NonNullable<Out>>[]): ObjectField<Out, In, P>;
  /** Requires at least one of these fields. */
  atLeastOneOf(...names: readonly OptionalName<NonNullable<Out>>[]): ObjectField<Out, In, P>;
  /** Makes server-side apply replace the object as a whole, instead of merging it field by field. */
  atomic(): ObjectField<Out, In, P>;
  /** Keeps unknown fields instead of pruning them. */
  preserveUnknown(): ObjectField<
    Flatten<NonNullable<Out> & { [key: string]: unknown }>,
    Flatten<NonNullable<In> & { [key: string]: unknown }>,
    P
  >;
  /** Makes the object optional. */
  optional(): ObjectField<Out, In, "optional">;
  /** Allows `null`. */
  nullable(): ObjectField<Out | null, In | null, P>;
  /** Sets the value that the API server uses if the object is missing. The defaults of its fields are added to it. */
  default(value: NonNullable<In>): ObjectField<Out, In, "defaulted">;
}

/** Builds an object field. */
export function objectField<Out, In, P extends Presence>(state: State<P>): ObjectField<Out, In, P> {
  const same = (next: State<P>): ObjectField<Out, In, P> => objectField(next);
  const shared = common(state, same);
  return {
    ...dataOf(state),
    ...shared,
    extend: (fields) => objectField(addFields(state, fields)),
    min: (minProperties) => same(withSchema(state, { minProperties })),
    max: (maxProperties) => same(withSchema(state, { maxProperties })),
    exactlyOneOf: (...names) => shared.rule(countRule(names, "== 1", `exactly one of ${names.join(", ")} must be set`)),
    atMostOneOf: (...names) => shared.rule(countRule(names, "<= 1", `at most one of ${names.join(", ")} may be set`)),
    atLeastOneOf: (...names) =>
      shared.rule(countRule(names, ">= 1", `at least one of ${names.join(", ")} must be set`)),
    atomic: () => same(withSchema(state, { "x-kubernetes-map-type": "atomic" })),
    preserveUnknown: () => objectField(withSchema(state, { "x-kubernetes-preserve-unknown-fields": true })),
    optional: () => objectField(asOptional(state)),
    nullable: () => objectField(withSchema(state, { nullable: true })),
    default: (value) => objectField(asDefaulted(state, value)),
  };
}

/** Returns the state of an object with these fields added. Throws a `DefinitionError` for values that are not fields. */
export function addFields<P extends Presence>(state: State<P>, fields: Fields): State<P> {
  const entries = Object.entries(fields);
  const invalidFields = entries.flatMap(([name, field]) => {
    if (isListWithoutType(field)) return listTypeMissing(name);
    return isField(field) ? [] : invalid(name, {}, "must be a field created by the builder, such as s.string()");
  });
  if (invalidFields.length > 0) throw new DefinitionError("an object", invalidFields);
  const duplicates = entries.filter(([name]) => Object.hasOwn(state.schema.properties ?? {}, name));
  if (duplicates.length > 0) {
    const problems = duplicates.map(([name]) => invalid(name, {}, "the object already has a field of this name"));
    throw new DefinitionError("an extended object", problems);
  }

  const required = [
    ...(state.schema.required ?? []),
    ...entries.filter(([, field]) => field.presence === "required").map(([name]) => name),
  ];
  const { rules, guards } = guardObject(
    entries.map(([name, field]) => ({
      name,
      isOptional: field.presence === "optional" || field.schema.nullable === true,
      guards: field.guards,
    })),
  );
  const validations = [...(state.schema["x-kubernetes-validations"] ?? []), ...rules];
  // Object.fromEntries defines own properties, so a field named `__proto__` does not set the prototype.
  const properties = Object.fromEntries([
    ...Object.entries(state.schema.properties ?? {}),
    ...entries.map(([name, field]): [string, Schema] => [name, field.schema]),
  ]);
  // The API server drops empty maps and lists. Omitting them here keeps the manifest equal to the stored object.
  const schema: Schema = {
    ...state.schema,
    type: "object",
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
    ...(validations.length > 0 && { "x-kubernetes-validations": validations }),
  };
  return { ...state, schema, guards: [...state.guards, ...guards] };
}

/** Reports whether a value is a field. JavaScript callers can pass anything. */
function isField(field: unknown): boolean {
  return typeof field === "object" && field !== null && "schema" in field && "presence" in field;
}

function countRule(names: readonly string[], test: string, message: string): ValidationRule {
  const given = names.map((name) => `has(self.${celName(name) ?? name})`).join(", ");
  return { rule: `[${given}].filter(given, given).size() ${test}`, message };
}
