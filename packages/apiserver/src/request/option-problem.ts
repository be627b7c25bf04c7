import { goQuote, joinProblems } from "../auth/go-quote.ts";
import { failure, StatusError } from "../status/status.ts";

/** A request that cannot be understood: 400. */
export function badRequest(message: string, options?: ErrorOptions): StatusError {
  return new StatusError(failure({ code: 400, reason: "BadRequest", message }), options);
}

/** One thing that is wrong with a field. */
export interface OptionProblem {
  readonly field: string;
  readonly reason:
    | "FieldValueForbidden"
    | "FieldValueInvalid"
    | "FieldValueNotSupported"
    | "FieldValueRequired"
    | "FieldValueTooLong";
  /** What is wrong, without the field. */
  readonly message: string;
}

/** A field that may not be given. */
export function forbidden(field: string, why: string): OptionProblem {
  return { field, reason: "FieldValueForbidden", message: `Forbidden: ${why}` };
}

/** A value, printed already, that is none of those allowed. */
export function notSupported(field: string, shown: string, supported: readonly string[]): OptionProblem {
  const message = `Unsupported value: ${shown}: supported values: ${supported.map(goQuote).join(", ")}`;
  return { field, reason: "FieldValueNotSupported", message };
}

/** A value that breaks a rule. */
export function invalidValue(field: string, value: string, why: string): OptionProblem {
  return { field, reason: "FieldValueInvalid", message: `Invalid value: ${goQuote(value)}: ${why}` };
}

/** Options that break rules: 422, all of them at once. */
export function invalidOptions(kind: string, problems: readonly OptionProblem[]): StatusError {
  const group = "meta.k8s.io";
  const texts = problems.map(({ field, message }) => `${field}: ${message}`);
  const causes = problems.map(({ field, reason, message }) => ({ reason, message, field }));
  return new StatusError(
    failure({
      code: 422,
      reason: "Invalid",
      message: `${kind}.${group} "" is invalid: ${joinProblems(texts)}`,
      details: { group, kind, causes },
    }),
  );
}
