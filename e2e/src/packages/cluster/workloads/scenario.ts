import type { Stage } from "./stage.ts";

/** A scenario: actions in a namespace, whose results are compared when it is idle. */
export interface Scenario {
  readonly name: string;
  /** True if a controller retries forever, so that the namespace never becomes idle and events are not counted. */
  readonly retriesForever?: boolean;
  /**
   * True if the Deployment controller of Kubernetes may keep the condition Progressing of the old ReplicaSet. `syncRolloutStatus`
   * (pkg/controller/deployment/progress.go) leaves the condition alone while its reason is NewReplicaSetAvailable and no old pods are
   * left, which is the case all the time with strategy Recreate once the update that sets NewReplicaSetCreated is lost, probably to a
   * conflict. Then this condition is not compared.
   */
  readonly mayKeepProgressing?: boolean;
  play(this: void, stage: Stage): Promise<void>;
}
