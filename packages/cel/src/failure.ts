/**
 * An evaluation error as a value.
 *
 * Functions return one instead of throwing, so that `&&`, `||`, `all` and `exists` can absorb it as the language
 * demands. Outside the engine it surfaces as a `CelEvaluationError`.
 */
export class CelFailure {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** A failure with the given message, worded as the API server words it. */
export function failure(message: string): CelFailure {
  return new CelFailure(message);
}

/** What a call answers when no overload fits the values at run time. */
export function noSuchOverload(): CelFailure {
  return new CelFailure("no such overload");
}

/** Thrown to end an evaluation at once. Unlike a failure, nothing absorbs it. */
export class CelAbort extends Error {}
