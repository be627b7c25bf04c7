/**
 * An evaluation error as a value.
 *
 * Functions return a failure instead of throwing, because in CEL `&&`, `||`, `all` and `exists` absorb an error if another operand
 * decides the result. `Program.evaluate` throws it as a `CelEvaluationError`.
 */
export class CelFailure {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** Returns a failure. The message should be that of the API server. */
export function failure(message: string): CelFailure {
  return new CelFailure(message);
}

/** Returns the failure of a call whose arguments match no overload at run time. */
export function noSuchOverload(): CelFailure {
  return new CelFailure("no such overload");
}

/** Thrown to end an evaluation immediately. Unlike a failure, it cannot be absorbed. */
export class CelAbort extends Error {}
