import { tryParseDuration } from "@homeostat/core";
import { invalid } from "../problem/problem.ts";
import { DefinitionError } from "../resource/definition-error.ts";
import type { Field, Presence } from "./field.ts";
import { asDefaulted, asOptional, type Common, common, dataOf, type State, withSchema } from "./state.ts";

const number = String.raw`([0-9]+(\.[0-9]*)?|\.[0-9]+)`;

/** What Go's `time.ParseDuration` takes, save for numbers too large for it. */
export const durationPattern: string = `^[+-]?(0|(${number}(ns|us|µs|μs|ms|s|m|h))+)$`;

/**
 * A length of time as Go writes it and `metav1.Duration` reads it: `90s`, `1h30m`, `250ms`.
 *
 * The schema is a text with a pattern, not the format `duration`, because the API server takes more under that
 * name (`3 weeks`) than Go programs can read. In CEL the field is a text: write `duration(self.ttl) > duration('1h')`.
 */
export interface DurationField<T extends string | null = string, P extends Presence = "required">
  extends Field<T, T, P>, Common<DurationField<T, P>> {
  /** The shortest time allowed, as a duration: `min("5m")`. */
  min(duration: string): DurationField<T, P>;
  /** The longest time allowed, as a duration: `max("168h")`. */
  max(duration: string): DurationField<T, P>;
  /** Lets the field be left out. */
  optional(): DurationField<T, "optional">;
  /** Lets the field be `null`. */
  nullable(): DurationField<T | null, P>;
  /** What the API server fills in when the field is left out. */
  default(value: NonNullable<T>): DurationField<T, "defaulted">;
}

/** A duration in this state. */
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
