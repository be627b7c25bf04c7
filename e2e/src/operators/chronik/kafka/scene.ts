// What all stories share: their cluster, the client that judges it, and names.

import type { ChronikCluster } from "@homeostat/chronik-operator";
import type { Judge } from "./judge.ts";
import { clusterName, type KafkaStage } from "./stage.ts";

/** The cluster and the client that judges it. */
export interface Scene {
  readonly stage: KafkaStage;
  readonly judge: Judge;
  /** Number of the story, for values that must differ from those of earlier stories. */
  readonly round: number;
}

/** One story: its test name and its steps. A story leaves the cluster as it found it, so that it can be played again. */
export interface Story {
  readonly title: string;
  readonly play: (scene: Scene) => Promise<void>;
}

/** Returns the name of the pod of a controller. */
export const controller = (ordinal: number): string => `${clusterName}-controller-${ordinal}`;

/** Returns the name of the pod of an ingest node. */
export const ingest = (ordinal: number): string => `${clusterName}-ingest-${ordinal}`;

/** Names of the members in most stories: three controllers and three ingest nodes. */
export const allMembers: readonly string[] = [0, 1, 2].flatMap((one) => [controller(one), ingest(one)]);

/** Reports whether a condition is true. */
export function isTrue(status: ChronikCluster["status"] | undefined, condition: string): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === condition && is === "True") ?? false;
}
