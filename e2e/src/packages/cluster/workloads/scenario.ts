import type { World } from "./world.ts";

/** A scenario: actions in a namespace, whose results are compared when it is idle. */
export interface Scenario {
  readonly name: string;
  /** True if a controller retries forever, so that the namespace never becomes idle and events are not counted. */
  readonly isRestless?: boolean;
  play(this: void, world: World): Promise<void>;
}
