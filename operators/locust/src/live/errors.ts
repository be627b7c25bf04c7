import { HomeostatError } from "@homeostat/core";

/** Thrown when a Locust master could not be told something, as to stop. */
export class MasterUnreachableError extends HomeostatError {
  readonly code = "MASTER_UNREACHABLE";
  /** `namespace/name` of the test. */
  readonly key: string;

  constructor(key: string, problem: string, options?: ErrorOptions) {
    super(
      `The Locust master of ${key} could not be told to stop: it ${problem}. ` +
        "Let the operator reach port 8089 of the pod, or set LIVE_STATS_ACCESS=apiProxy.",
      options,
    );
    this.key = key;
  }
}
