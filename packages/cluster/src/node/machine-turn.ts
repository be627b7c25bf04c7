import type { Random } from "@homeostat/core";
import type { ProbeKind } from "./container-state.ts";
import type { Exit } from "./exit.ts";
import type { ConfigReader } from "./missing-config.ts";
import type { PodView } from "./pod-view.ts";
import type { Script } from "./script.ts";

/** How long things take on a simulated node, in milliseconds. */
export interface NodeDelays {
  /** Making the pod's network and its volumes. */
  readonly sandboxMs: number;
  /** Pulling an image that the node does not have. */
  readonly pullMs: number;
  /** From a container's making to its start. */
  readonly startMs: number;
  /** From a container's start to its first probe, beside the probe's own delay. */
  readonly firstProbeMs: number;
  /** How long an end or a failed pull is shown as such before it is shown as a pause. */
  readonly showMs: number;
  /** How long it takes to clear up after the last container. */
  readonly finishMs: number;
  /** When to try again what no clock governs: an environment that lacks something. */
  readonly retryMs: number;
}

/** The delays of a node that says nothing else: short, and long enough to be seen. */
export const defaultDelays: NodeDelays = {
  sandboxMs: 20,
  pullMs: 100,
  startMs: 50,
  firstProbeMs: 100,
  showMs: 1_000,
  finishMs: 20,
  retryMs: 12_000,
};

/** What a pod's machine is told. */
export type Input =
  /** Time has passed. */
  | { readonly type: "time" }
  /** The pod has changed on the server. */
  | { readonly type: "pod"; readonly pod: PodView }
  /** A process has ended. */
  | { readonly type: "exited"; readonly container: string; readonly run: number; readonly exit: Exit }
  /** A probe has an answer. */
  | {
      readonly type: "probed";
      readonly container: string;
      readonly run: number;
      readonly kind: ProbeKind;
      readonly ok: boolean;
      readonly output: string;
    };

/** What a pod's machine wants done. */
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
  /** The pod is over and deleted: write its last status, and remove it. */
  | { readonly do: "remove" };

/** What a pod's machine is made with. */
export interface MachineSettings {
  readonly ip: string;
  readonly hostIP: string;
  readonly delays: NodeDelays;
  readonly random: Random;
  readonly config: ConfigReader;
  /** The images that the node has. */
  readonly images: Set<string>;
  /** The script of a container. */
  readonly scriptOf: (name: string, isInit: boolean) => Script;
}

/** One step of a pod's machine. */
export interface Turn {
  readonly now: number;
  readonly pod: PodView;
  readonly settings: MachineSettings;
  readonly effects: Effect[];
}

/** Adds an event to a step. */
export function tell(
  turn: Turn,
  type: "Normal" | "Warning",
  reason: string,
  { message, fieldPath }: { readonly message: string; readonly fieldPath?: string },
): void {
  turn.effects.push({ do: "event", type, reason, message, ...(fieldPath === undefined ? {} : { fieldPath }) });
}
