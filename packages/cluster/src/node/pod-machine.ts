import { formatTime, parseTime } from "@homeostat/core";
import type { PodCondition, PodPhase, PodStatus } from "@homeostat/kubernetes/core/v1";
import { containerDueAt, stoppingDueAt, advanceContainer, willRestart } from "./container-lifecycle.ts";
import { type ContainerRecord, isRunning, newContainer } from "./container-state.ts";
import { containerStatus } from "./container-status.ts";
import { applyProbeResult } from "./container-probes.ts";
import { endContainer, signalContainer, stopContainer } from "./container-stop.ts";
import { type Effect, type Input, type MachineSettings, recordEvent, type MachineStep } from "./machine-step.ts";
import { volumeProblems } from "./pod-config.ts";
import { conditionsOf } from "./pod-conditions.ts";
import { phaseOf } from "./pod-phase.ts";
import { podResources } from "./pod-resources.ts";
import { initRole, type PodView } from "./pod-view.ts";
import { resumeContainer } from "./resume-container.ts";

/** State of a pod on its node. */
type PodStage =
  /** Its volumes are being mounted; retried at `retryAt` when a ConfigMap or Secret is missing. Next: `sandbox`. */
  | { readonly at: "mounting"; readonly retryAt: number; readonly attempts: number }
  /** Its sandbox (network) is being created. Next: `active`. */
  | { readonly at: "sandbox"; readonly until: number }
  /** Its containers are started, probed and restarted. Next: `stopping`. */
  | { readonly at: "active" }
  /** Its containers are being stopped: apps first, then sidecars in reverse order. Next: `finishing` or `ended`. */
  | { readonly at: "stopping"; readonly why: "deleted" | "deadline" | "done"; readonly killAt: number }
  /** No container is running; the final phase is shown at `until`. Next: `ended`. */
  | { readonly at: "finishing"; readonly until: number }
  /** The final status is shown. Only the removal of a deleted pod is left. */
  | { readonly at: "ended" };

const mountRetryMsMin = 500;
const mountRetryMsMax = 122_000;
const deadlineText = "Pod was active on the node longer than the specified deadline";
const unknownText = "The container could not be located when the pod was terminated";

/**
 * The state machine of one pod on its node, with the behaviour of a kubelet: each input changes its state and returns
 * the effects to carry out.
 *
 * It has no side effects: no clock, no network, no timers. The driver ({@link PodWorker}) calls `handle` with each
 * input and the time, carries out the returned effects, writes `status`, and calls `handle` again at `dueAt` at the
 * latest.
 */
export class PodMachine {
  readonly #settings: MachineSettings;
  readonly #inits: readonly ContainerRecord[];
  readonly #apps: readonly ContainerRecord[];
  #pod: PodView;
  #stage: PodStage;
  #startedAt: number | undefined;
  #now = 0;
  #hasSandbox = false;
  #isInitialized = false;
  #isRemoved = false;
  #isShown = false;
  #phase: PodPhase = "Pending";
  /** Phase before containers that never ran were marked as terminated. The conditions keep following this phase. */
  #phaseBefore: PodPhase | undefined;
  #failure: { readonly reason: string; readonly message: string } | undefined;
  #conditions: readonly PodCondition[];
  #status: PodStatus = {};

  constructor(pod: PodView, settings: MachineSettings, now: number) {
    const { spec, status } = pod;
    this.#pod = pod;
    this.#settings = settings;
    const inits = spec?.initContainers ?? [];
    const reason = inits.length > 0 ? "PodInitializing" : "ContainerCreating";
    this.#inits = inits.map((container) =>
      newContainer(container, { role: initRole(container), script: settings.scriptOf(container.name, true), reason }),
    );
    this.#apps = (spec?.containers ?? []).map((container) =>
      newContainer(container, { role: "app", script: settings.scriptOf(container.name, false), reason }),
    );
    this.#conditions = status?.conditions?.map((condition) => ({ ...condition })) ?? [];
    this.#stage = { at: "mounting", retryAt: 0, attempts: 0 };
    if (status?.startTime !== undefined) this.#resume(status.startTime, now);
  }

  /** True if only the removal of the pod is left to do. */
  get isTerminal(): boolean {
    return this.#stage.at === "ended";
  }

  /**
   * Status as of the last step; undefined when the pod was terminal already when the node started, so that its status
   * must not be written.
   */
  get status(): PodStatus | undefined {
    return this.#isShown ? undefined : this.#status;
  }

  /** The pod as last received. */
  get pod(): PodView {
    return this.#pod;
  }

  /** Returns the number of the current run of a container, by which late results of an earlier run are recognized. */
  runOf(container: string): number {
    return this.#find(container)?.run ?? 0;
  }

  /** When `handle` must be called at the latest; `Infinity` when only an input can change the state. */
  get dueAt(): number {
    const stage = this.#stage;
    const all = [...this.#inits, ...this.#apps];
    switch (stage.at) {
      case "mounting":
        return Math.min(stage.retryAt, this.#deadlineAt);
      case "sandbox":
      case "finishing":
        return stage.until;
      case "active":
        return Math.min(this.#deadlineAt, ...all.map(containerDueAt));
      case "stopping":
        return Math.min(stage.killAt > this.#now ? stage.killAt : Infinity, ...all.map(stoppingDueAt));
      case "ended":
        return Infinity;
    }
  }

  /** Processes an input and returns the effects to carry out. */
  handle(input: Input, now: number): readonly Effect[] {
    if (input.type === "pod") this.#pod = input.pod;
    const step: MachineStep = { now, pod: this.#pod, settings: this.#settings, effects: [] };
    if (input.type === "exited" || input.type === "probed") {
      const container = this.#find(input.container);
      if (container !== undefined && container.run === input.run) {
        if (input.type === "exited") endContainer(container, step, input.exit);
        else applyProbeResult(container, step, input);
      }
    }
    this.#startedAt ??= now;
    this.#now = now;
    // One step can make another one due at the same time: an exit leads to a restart, and that to a start.
    for (let before = ""; before !== this.#position;) {
      before = this.#position;
      this.#step(step);
    }
    this.#status = this.#show(now);
    return step.effects;
  }

  get #position(): string {
    const all = [...this.#inits, ...this.#apps];
    return JSON.stringify([
      this.#stage,
      all.map(({ stage, stopping, restartAt, isReady }) => [stage, stopping, restartAt, isReady]),
    ]);
  }

  #step(step: MachineStep): void {
    this.#checkDeletionAndDeadline(step);
    switch (this.#stage.at) {
      case "mounting":
        return this.#mount(step, this.#stage);
      case "sandbox":
        if (this.#stage.until > step.now) return;
        this.#hasSandbox = true;
        this.#stage = { at: "active" };
        return;
      case "active":
        return this.#advance(step);
      case "stopping":
        return this.#stop(step, this.#stage);
      case "finishing":
        if (this.#stage.until <= step.now) this.#finish();
        return;
      case "ended":
        if (this.#pod.metadata.deletionTimestamp === undefined || this.#isRemoved) return;
        this.#isRemoved = true;
        step.effects.push({ do: "remove" });
    }
  }

  /** Starts to stop the pod when it is deleted or its active deadline has passed. */
  #checkDeletionAndDeadline(step: MachineStep): void {
    const { metadata, spec } = this.#pod;
    const stage = this.#stage;
    if (stage.at === "ended" || stage.at === "finishing") return;
    if (metadata.deletionTimestamp !== undefined) {
      const graceMs = (metadata.deletionGracePeriodSeconds ?? spec?.terminationGracePeriodSeconds ?? 30) * 1_000;
      const killAt = step.now + graceMs;
      if (stage.at !== "stopping") this.#stage = { at: "stopping", why: "deleted", killAt };
      else if (stage.why !== "deleted")
        this.#stage = { at: "stopping", why: "deleted", killAt: Math.min(killAt, stage.killAt) };
      return;
    }
    if (this.#deadlineAt > step.now || stage.at === "stopping") return;
    this.#failure = { reason: "DeadlineExceeded", message: deadlineText };
    recordEvent(step, "Normal", "DeadlineExceeded", { message: deadlineText });
    this.#stage = { at: "stopping", why: "deadline", killAt: step.now + this.#graceMs };
  }

  get #graceMs(): number {
    return (this.#pod.spec?.terminationGracePeriodSeconds ?? 30) * 1_000;
  }

  get #deadlineAt(): number {
    const seconds = this.#pod.spec?.activeDeadlineSeconds;
    return seconds === undefined || this.#startedAt === undefined ? Infinity : this.#startedAt + seconds * 1_000;
  }

  #mount(step: MachineStep, { retryAt, attempts }: Extract<PodStage, { at: "mounting" }>): void {
    const problems = volumeProblems(this.#pod, this.#settings.config);
    if (problems.length === 0) {
      this.#stage = { at: "sandbox", until: step.now + this.#settings.delays.sandboxMs };
      return;
    }
    if (attempts > 0 && retryAt > step.now) return;
    for (const { volume, problem } of problems) {
      recordEvent(step, "Warning", "FailedMount", {
        message: `MountVolume.SetUp failed for volume "${volume}" : ${problem}`,
      });
    }
    const pauseMs = Math.min(mountRetryMsMin * 2 ** attempts, mountRetryMsMax);
    this.#stage = { at: "mounting", retryAt: step.now + pauseMs, attempts: attempts + 1 };
  }

  #advance(step: MachineStep): void {
    if (this.#isInitialized) {
      for (const sidecar of this.#inits) if (sidecar.role === "sidecar") advanceContainer(sidecar, step);
    } else if (!this.#initialize(step)) return;
    this.#isInitialized = true;
    for (const app of this.#apps) {
      advanceContainer(app, step);
      // Containers are started one at a time.
      if (!isRunning(app) && (app.stage.at === "pulling" || app.stage.at === "creating")) break;
    }
    if (this.#apps.every(({ stage }) => stage.at === "exited") && !this.#apps.some((app) => isToRestart(app, step)))
      this.#end(step);
  }

  /** Processes the init containers in order. Returns true when all have completed, and all sidecars have started. */
  #initialize(step: MachineStep): boolean {
    let isHeldBack = false;
    for (const init of this.#inits) {
      if (init.role === "init" && init.stage.at === "exited" && init.stage.exitCode === 0) continue;
      // An init container that has begun continues, even while a sidecar before it is restarting.
      if (isHeldBack && init.stage.at === "waiting") return false;
      advanceContainer(init, step);
      if (init.role === "sidecar" && init.isStarted) continue;
      isHeldBack = true;
      if (init.role === "init" && init.stage.at === "exited" && !isToRestart(init, step)) {
        this.#end(step);
        return false;
      }
    }
    return !isHeldBack;
  }

  #end({ now }: MachineStep): void {
    this.#stage = { at: "stopping", why: "done", killAt: now + this.#graceMs };
  }

  #stop(step: MachineStep, stage: Extract<PodStage, { at: "stopping" }>): void {
    const graceMs = Math.max(0, stage.killAt - step.now);
    for (const container of [...this.#apps, ...this.#inits.filter(({ role }) => role === "init")])
      stopContainer(container, step, { graceMs, message: `Stopping container ${container.spec.name}` });
    const sidecars = this.#inits.filter((init) => init.role === "sidecar" && isRunning(init));
    const areAppsDone =
      !this.#apps.some(isRunning) && !this.#inits.some((init) => init.role === "init" && isRunning(init));
    const next = sidecars.at(-1);
    // Sidecars are stopped after the apps, in reverse order of their start.
    if (next !== undefined && (areAppsDone || stage.killAt <= step.now))
      stopContainer(next, step, { graceMs, message: `Stopping container ${next.spec.name}` });
    for (const container of [...this.#apps, ...this.#inits]) signalContainer(container, step);
    if ([...this.#apps, ...this.#inits].some(isRunning)) return;
    if (stage.why === "done") this.#stage = { at: "finishing", until: step.now + this.#settings.delays.finishMs };
    else this.#finish();
  }

  #finish(): void {
    this.#stage = { at: "ended" };
    this.#hasSandbox = false;
    if (!this.#isInitialized && this.#inits.length > 0) return;
    for (const container of [...this.#inits, ...this.#apps]) {
      if (container.view.terminated !== undefined) continue;
      this.#phaseBefore ??= this.#phaseNow(false);
      container.view = { terminated: { exitCode: 137, reason: "ContainerStatusUnknown", message: unknownText } };
    }
  }

  #find(name: string): ContainerRecord | undefined {
    return [...this.#inits, ...this.#apps].find(({ spec }) => spec.name === name);
  }

  #phaseNow(isTerminal: boolean): PodPhase {
    if (this.#failure !== undefined) return "Failed";
    const restartPolicy = this.#pod.spec?.restartPolicy ?? "Always";
    return phaseOf({ restartPolicy, inits: this.#inits, apps: this.#apps, isTerminal });
  }

  #show(now: number): PodStatus {
    const { metadata, spec, status } = this.#pod;
    const { ip, hostIP } = this.#settings;
    const isTerminal = this.#stage.at === "ended";
    const phase = this.#phaseNow(isTerminal);
    this.#conditions = conditionsOf({
      pod: this.#pod,
      inits: this.#inits,
      apps: this.#apps,
      phase: this.#phaseBefore ?? phase,
      hasSandbox: this.#hasSandbox,
      before: this.#conditions,
      now,
    });
    // The final phase is shown only when nothing is running any more, so that a controller does not create a
    // replacement too early.
    if (isTerminal || (phase !== "Succeeded" && phase !== "Failed")) this.#phase = phase;
    const podIP = spec?.hostNetwork === true ? hostIP : ip;
    const hasAddress =
      spec?.hostNetwork === true ||
      status?.podIP !== undefined ||
      [...this.#inits, ...this.#apps].some(({ stage, id }) => id !== "" || stage.at === "unable");
    return {
      phase: this.#phase,
      ...(metadata.generation === undefined ? {} : { observedGeneration: metadata.generation }),
      conditions: [...this.#conditions],
      hostIP,
      hostIPs: [{ ip: hostIP }],
      ...(hasAddress ? { podIP, podIPs: [{ ip: podIP }] } : {}),
      startTime: formatTime(this.#startedAt ?? now),
      qosClass: status?.qosClass ?? "BestEffort",
      ...podResources(this.#pod),
      ...(this.#inits.length === 0 ? {} : { initContainerStatuses: this.#inits.map(containerStatus) }),
      containerStatuses: this.#apps.map(containerStatus),
      ...(isTerminal && this.#failure !== undefined ? this.#failure : {}),
    };
  }

  /** Continues with a pod that ran on this node before, as after a reboot: processes that were running have exited. */
  #resume(startTime: string, now: number): void {
    const { status } = this.#pod;
    this.#startedAt = parseTime(startTime);
    const known = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
    for (const container of [...this.#inits, ...this.#apps]) {
      const found = known.find(({ name }) => name === container.spec.name);
      if (found !== undefined) resumeContainer(container, found, now);
    }
    this.#phase = status?.phase ?? "Pending";
    if (this.#phase !== "Succeeded" && this.#phase !== "Failed") return;
    this.#stage = { at: "ended" };
    this.#isShown = true;
  }
}

function isToRestart(container: ContainerRecord, step: MachineStep): boolean {
  return container.stage.at === "exited" && willRestart(container, step, container.stage.exitCode);
}
