const hourMs = 3_600_000;

/** A difference between the operator's clock and the API server's. */
export interface ClockSkew {
  /** Completes "an operator whose clock is": `an hour ahead`. */
  readonly name: string;
  /** The difference from the start. */
  readonly offsetMs: number;
  /** The step by which the test sets the operator's clock while something is timed. */
  readonly stepMs: number;
}

/** The skews that every operator is tested with. */
export const clockSkews: readonly ClockSkew[] = [
  { name: "an hour ahead", offsetMs: hourMs, stepMs: 0 },
  { name: "an hour behind", offsetMs: -hourMs, stepMs: 0 },
  { name: "set forward by an hour", offsetMs: 0, stepMs: hourMs },
  { name: "set back by an hour", offsetMs: 0, stepMs: -hourMs },
];

/** The tolerance of times in a status: the estimate of the API server's time, and whole seconds. */
export const clockToleranceMs = 2_000;
