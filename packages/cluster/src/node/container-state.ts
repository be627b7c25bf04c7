import type { ContainerState, ContainerStateTerminated } from "@homeostat/kubernetes/core/v1";
import { formatTime } from "@homeostat/core";
import type { ContainerRole, ContainerView } from "./pod-view.ts";
import type { Backoff } from "./restart-backoff.ts";
import type { Script } from "./script.ts";

/** The kinds of probes. */
export type ProbeKind = "startup" | "readiness" | "liveness";

/** Where a container stands, as far as the node is concerned. */
export type Stage =
  /** Not its turn yet. Next: `pulling`, `creating` or `unable`. */
  | { readonly at: "waiting" }
  /** Its image is on the way. Next: `creating`, or `unable`. */
  | { readonly at: "pulling"; readonly since: number; readonly until: number }
  /** Cannot be started for now: no image, no ConfigMap. Tried again at `retryAt`. */
  | { readonly at: "unable"; readonly cause: "image" | "config"; readonly retryAt: number }
  /** Made, and about to run. Next: `running`, or `exited` when that fails. */
  | { readonly at: "creating"; readonly until: number }
  /** Its process runs. Next: `exited`. */
  | { readonly at: "running"; readonly startedAt: number }
  /** Its process has ended. Next: `waiting` again when it is to be restarted. */
  | { readonly at: "exited"; readonly exitCode: number; readonly finishedAt: number };

/** How far a probe is. */
export interface ProbeMemory {
  nextAt: number;
  isUnderWay: boolean;
  successes: number;
  failures: number;
}

/** What the node remembers of a container. */
export interface ContainerMemory {
  readonly spec: ContainerView;
  readonly role: ContainerRole;
  readonly script: Script;
  /** `spec.containers{web}`: where events say that they happened. */
  readonly fieldPath: string;
  stage: Stage;
  /** Counts the runs, so that what comes late from an old one is known as such. */
  run: number;
  id: string;
  /** The name of the container that is made and does not run yet. */
  nextId: string;
  restartCount: number;
  isReady: boolean;
  isStarted: boolean;
  /** What is shown as `state` and `lastState`. */
  view: ContainerState;
  lastView: ContainerState;
  readonly probes: Map<ProbeKind, ProbeMemory>;
  restart: Backoff | undefined;
  pull: Backoff | undefined;
  /** When `CrashLoopBackOff` or `ImagePullBackOff` takes the place of what happened. */
  shownAt: number | undefined;
  /** Which of the two. */
  shownNext: "pull" | "restart";
  /** Until when the pause before a restart lasts; undefined when none is going on. */
  restartAt: number | undefined;
  /** The process was told to end; it is killed at `killAt`. */
  stopping: { readonly killAt: number; isKilled: boolean } | undefined;
  /** When SIGTERM is to be sent, after a `preStop` that sleeps. */
  terminateAt: number | undefined;
  /** When the run before this one ended; undefined for the first. */
  endedBefore: number | undefined;
  /** It is ended because a probe failed. */
  isKilledByProbe: boolean;
}

/** A container that nothing has happened to yet. */
export function newContainer(
  spec: ContainerView,
  { role, script, reason }: { readonly role: ContainerRole; readonly script: Script; readonly reason: string },
): ContainerMemory {
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

/** The end of a run, as it is shown. */
export function terminatedState(
  { id }: Pick<ContainerMemory, "id">,
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

/** Whether its process runs. */
export function isRunning({ stage }: Pick<ContainerMemory, "stage">): boolean {
  return stage.at === "running";
}
