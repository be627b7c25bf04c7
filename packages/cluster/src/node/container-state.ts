import type { ContainerState, ContainerStateTerminated } from "@homeostat/kubernetes/core/v1";
import { formatTime } from "@homeostat/core";
import type { ContainerRole, ContainerView } from "./pod-view.ts";
import type { Backoff } from "./restart-backoff.ts";
import type { Script } from "./script.ts";

export type ProbeKind = "startup" | "readiness" | "liveness";

/** State of a container on the node. */
export type Stage =
  /** Waits for its turn. Next: `pulling`, `creating` or `unable`. */
  | { readonly at: "waiting" }
  /** Its image is being pulled. Next: `creating` or `unable`. */
  | { readonly at: "pulling"; readonly since: number; readonly until: number }
  /** Cannot be started: image or ConfigMap missing. Retried at `retryAt`. */
  | { readonly at: "unable"; readonly cause: "image" | "config"; readonly retryAt: number }
  /** Created and about to run. Next: `running`, or `exited` when the start fails. */
  | { readonly at: "creating"; readonly until: number }
  /** Its process is running. Next: `exited`. */
  | { readonly at: "running"; readonly startedAt: number }
  /** Its process has exited. Next: `pulling`, `creating` or `unable` when it is restarted. */
  | { readonly at: "exited"; readonly exitCode: number; readonly finishedAt: number };

/** State of a probe. */
export interface ProbeState {
  nextAt: number;
  isInFlight: boolean;
  successes: number;
  failures: number;
}

/** State of a container that the node keeps between steps. */
export interface ContainerRecord {
  readonly spec: ContainerView;
  readonly role: ContainerRole;
  readonly script: Script;
  /** Field path of its events: `spec.containers{web}`. */
  readonly fieldPath: string;
  stage: Stage;
  /** Number of the current run. Results that arrive late from an earlier run are recognized by it and ignored. */
  run: number;
  id: string;
  /** ID of the container that is created and not running yet. */
  nextId: string;
  restartCount: number;
  isReady: boolean;
  isStarted: boolean;
  /** Shown as `state` and `lastState` in the status. */
  view: ContainerState;
  lastView: ContainerState;
  readonly probes: Map<ProbeKind, ProbeState>;
  restart: Backoff | undefined;
  pull: Backoff | undefined;
  /** When `CrashLoopBackOff` or `ImagePullBackOff` replaces the shown failure; undefined when nothing is pending. */
  shownAt: number | undefined;
  /** Which of the two is shown then. */
  shownNext: "pull" | "restart";
  /** End of the restart back-off; undefined when there is none. */
  restartAt: number | undefined;
  /** Set once the process is being stopped; it is killed at `killAt`. */
  stopping: { readonly killAt: number; isKilled: boolean } | undefined;
  /** When SIGTERM is sent, after a `preStop` sleep. */
  terminateAt: number | undefined;
  /** When the previous run exited; undefined for the first run. */
  endedBefore: number | undefined;
  /** True if it is being stopped because a probe failed. */
  isKilledByProbe: boolean;
}

/** Builds the initial state of a container. */
export function newContainer(
  spec: ContainerView,
  { role, script, reason }: { readonly role: ContainerRole; readonly script: Script; readonly reason: string },
): ContainerRecord {
  return {
    spec,
    role,
    script,
    fieldPath: `spec.${role === "app" ? "containers" : "initContainers"}{${spec.name}}`,
    stage: { at: "waiting" },
    run: 0,
    id: "",
    nextId: "",
    restartCount: 0,
    isReady: false,
    isStarted: false,
    view: { waiting: { reason } },
    lastView: {},
    probes: new Map(),
    restart: undefined,
    pull: undefined,
    shownAt: undefined,
    shownNext: "restart",
    restartAt: undefined,
    stopping: undefined,
    terminateAt: undefined,
    endedBefore: undefined,
    isKilledByProbe: false,
  };
}

/** Builds the terminated state of a run. */
export function terminatedState(
  { id }: Pick<ContainerRecord, "id">,
  end: {
    readonly exitCode: number;
    readonly reason: string;
    readonly message?: string | undefined;
    readonly startedAt: number;
    readonly finishedAt: number;
  },
): ContainerStateTerminated {
  return {
    containerID: id,
    exitCode: end.exitCode,
    reason: end.reason,
    ...(end.message === undefined || end.message === "" ? {} : { message: end.message }),
    startedAt: formatTime(end.startedAt),
    finishedAt: formatTime(end.finishedAt),
  };
}

export function isRunning({ stage }: Pick<ContainerRecord, "stage">): boolean {
  return stage.at === "running";
}
