import type { Stage } from "./stage.ts";

/** A scenario: actions in a namespace, whose results are compared when it is idle. */
export interface Scenario {
  readonly name: string;
  /** True if a controller retries forever, so that the namespace never becomes idle and events are not counted. */
  readonly retriesForever?: boolean;
  play(this: void, stage: Stage): Promise<void>;
}
