import type { World } from "./world.ts";

/** What happens in a namespace, until somebody looks at what came of it. */
export interface Scenario {
  readonly name: string;
  /** Whether something is tried again and again, so that it never comes to rest and events are not counted. */
  readonly isRestless?: boolean;
  play(this: void, world: World): Promise<void>;
}
