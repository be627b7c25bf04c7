import type { Stage } from "./stage.ts";

/** A scenario: actions in a namespace, whose results are compared when it is idle. */
export interface Scenario {
  readonly name: string;
  /** True if a controller retries forever, so that the namespace never becomes idle and events are not counted. */
  readonly retriesForever?: boolean;
  /**
   * True if the Deployment controller of Kubernetes may keep the condition Progressing of the old ReplicaSet. It announces a new
   * ReplicaSet by the reason NewReplicaSetCreated in a status update that a conflict can refuse, and does not repeat it; a rollout
   * without old pods then counts as complete all the time. Then this condition is not compared.
   */
  readonly mayKeepProgressing?: boolean;
  play(this: void, stage: Stage): Promise<void>;
}
