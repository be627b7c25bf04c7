import type { Client } from "@homeostat/client";
import type { AppModel } from "@homeostat/cluster/app-model";
import type { Clock } from "@homeostat/core";
import type { Manifest, Operator } from "@homeostat/operator";
import type { TargetCluster } from "./cluster/target-cluster.ts";
import type { Screen } from "./view/screen.ts";

/** An operator with a sample of its custom resource and a view of the sample's progress. */
export interface Demo {
  /** Defines the operator for a cluster. */
  readonly operator: (cluster: TargetCluster) => Operator;
  /** Returns a kubectl command that shows the sample. */
  readonly kubectlCommand: (namespace: string) => string;
  readonly sample: (namespace: string, cluster: TargetCluster) => Promise<readonly Manifest[]>;
  /** Programs of the sample's containers on the embedded cluster. */
  readonly models?: readonly AppModel[];
  /** Returns the reason why the demo cannot run on a cluster; undefined if it can. */
  readonly skipReason?: (cluster: TargetCluster) => string | undefined;
  /** Throws an error with the reason if the operator cannot be installed on the cluster. */
  readonly check?: (client: Client, signal: AbortSignal) => Promise<void>;
  /** Prints the sample's progress until the signal aborts. It may change the sample to show how the operator responds. */
  readonly show: (context: DemoContext, signal: AbortSignal) => Promise<void>;
}

/** Resources that a demo uses to print progress. */
export interface DemoContext {
  readonly client: Client;
  readonly cluster: TargetCluster;
  readonly screen: Screen;
  readonly clock: Clock;
  readonly namespace: string;
  /** Prints a line with the elapsed time. */
  readonly say: (text: string) => void;
  /** Must be called when the sample has finished. */
  readonly onFinished: (succeeded: boolean) => void;
}
