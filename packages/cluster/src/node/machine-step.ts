import type { Random } from "@homeostat/core";
import type { ProbeKind } from "./container-state.ts";
import type { Exit } from "./exit.ts";
import type { ConfigReader } from "./pod-config.ts";
import type { PodView } from "./pod-view.ts";
import type { Script } from "./script.ts";

/** Durations of the steps of a simulated node, in milliseconds. */
export interface NodeDelays {
  /** Creation of the pod sandbox: network and volumes. */
  readonly sandboxMs: number;
  /** Pull of an image that the node does not have. */
  readonly pullMs: number;
  /** Time from the creation of a container to its start. */
  readonly startMs: number;
  /** Time from the start of a container to its first probe, in addition to the probe's initial delay. */
  readonly firstProbeMs: number;
  /** Time for which an exit or a failed pull is shown before `CrashLoopBackOff` or `ImagePullBackOff` replaces it. */
  readonly showMs: number;
  /** Clean-up after the last container. */
  readonly finishMs: number;
  /** Interval of retries that have no back-off of their own, for example a missing ConfigMap. */
  readonly retryMs: number;
}

/** Default delays: short, but long enough for watchers to see each state. */
export const defaultDelays: NodeDelays = {
  sandboxMs: 20,
  pullMs: 100,
  startMs: 50,
  firstProbeMs: 100,
  showMs: 1_000,
  finishMs: 20,
  retryMs: 12_000,
};

/** An input of a pod's state machine. */
export type Input =
  /** Time passed. */
  | { readonly type: "time" }
  /** The pod changed on the API server. */
  | { readonly type: "pod"; readonly pod: PodView }
  /** A process exited. */
  | { readonly type: "exited"; readonly container: string; readonly run: number; readonly exit: Exit }
  /** A probe returned a result. */
  | {
      readonly type: "probed";
      readonly container: string;
      readonly run: number;
      readonly kind: ProbeKind;
      readonly ok: boolean;
      readonly output: string;
    };

/** An effect that the pod worker carries out. */
export type Effect =
  | { readonly do: "start" | "terminate" | "kill"; readonly container: string; readonly run: number }
  | { readonly do: "probe"; readonly container: string; readonly run: number; readonly kind: ProbeKind }
  | {
      readonly do: "event";
      readonly type: "Normal" | "Warning";
      readonly reason: string;
      readonly message: string;
      readonly fieldPath?: string | undefined;
    }
  /** The deleted pod is terminal: write its last status and remove it from the API server. */
  | { readonly do: "remove" };

/** Dependencies and settings of a pod's state machine. */
export interface MachineSettings {
  readonly ip: string;
  readonly hostIP: string;
  readonly delays: NodeDelays;
  readonly random: Random;
  readonly config: ConfigReader;
  /** Images that are present on the node. */
  readonly images: Set<string>;
  /** Returns the script of a container. */
  readonly scriptOf: (name: string, isInit: boolean) => Script;
}

/** One step of a pod's state machine; the effects are collected in it. */
export interface MachineStep {
  readonly now: number;
  readonly pod: PodView;
  readonly settings: MachineSettings;
  readonly effects: Effect[];
}

/** Adds an event to the effects of a step. */
export function recordEvent(
  step: MachineStep,
  type: "Normal" | "Warning",
  reason: string,
  { message, fieldPath }: { readonly message: string; readonly fieldPath?: string },
): void {
  step.effects.push({ do: "event", type, reason, message, ...(fieldPath === undefined ? {} : { fieldPath }) });
}
