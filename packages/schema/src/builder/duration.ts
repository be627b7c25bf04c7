import { tryParseDuration } from "@homeostat/core";
import { invalid } from "../problem/problem.ts";
import { DefinitionError } from "../problem/definition-error.ts";
import type { Field, Presence } from "./field.ts";
import { asDefaulted, asOptional, type FieldMethods, common, dataOf, type State, withSchema } from "./state.ts";

const number = String.raw`([0-9]+(\.[0-9]*)?|\.[0-9]+)`;

/** Pattern of the strings that Go's `time.ParseDuration` accepts. It does not exclude numbers that overflow. */
export const durationPattern: string = `^[+-]?(0|(${number}(ns|us|µs|μs|ms|s|m|h))+)$`;

/**
 * A duration in the form of Go and `metav1.Duration`: `90s`, `1h30m`, `250ms`.
 *
 * The schema is a string with a pattern, not the format `duration`: under that name the API server accepts strings (`3 weeks`)
 * that `time.ParseDuration` rejects. In CEL the field is a string: write `duration(self.ttl) > duration('1h')`.
 */
export interface DurationField<T extends string | null = string, P extends Presence = "required">
  extends Field<T, T, P>, FieldMethods<DurationField<T, P>> {
  /** Sets the shortest duration allowed: `min("5m")`. */
  min(duration: string): DurationField<T, P>;
  /** Sets the longest duration allowed: `max("168h")`. */
  max(duration: string): DurationField<T, P>;
  /** Makes the field optional. */
  optional(): DurationField<T, "optional">;
  /** Allows `null`. */
  nullable(): DurationField<T | null, P>;
  /** Sets the value that the API server uses if the field is missing. */
  default(value: NonNullable<T>): DurationField<T, "defaulted">;
}

/** Builds a duration field. */
export function durationField<T extends string | null, P extends Presence>(state: State<P>): DurationField<T, P> {
  const same = (next: State<P>): DurationField<T, P> => durationField(next);
  const shared = common(state, same);
  return {
    ...dataOf(state),
    ...shared,
    min: (shortest) => shared.rule({ rule: bound(">=", shortest), message: `must be at least ${shortest}` }),
    max: (longest) => shared.rule({ rule: bound("<=", longest), message: `must be at most ${longest}` }),
    optional: () => durationField(asOptional(state)),
    nullable: () => durationField(withSchema(state, { nullable: true })),
    default: (value) => durationField(asDefaulted(state, value)),
  };
}

function bound(operator: ">=" | "<=", limit: string): string {
  if (tryParseDuration(limit) === undefined) {
    throw new DefinitionError("a duration", [invalid("", { value: limit }, "must be a duration such as 1h30m")]);
  }
  return `duration(self) ${operator} duration(${JSON.stringify(limit)})`;
}
