import { setMaxListeners } from "node:events";
import type { Client } from "@homeostat/client";
import { type Clock, isEqual, NotFoundError, type Random, type Timer } from "@homeostat/core";
import { Pod, type PodStatus } from "@homeostat/kubernetes/core/v1";
import type { Logger } from "@homeostat/runtime";
import type { ObjectEvents } from "../events/core-events.ts";
import { probeOf } from "./container-probes.ts";
import type { Disks, VolumeFiles } from "./disks.ts";
import type { Exit } from "./exit.ts";
import { LogRing } from "./log-ring.ts";
import type { Effect, Input, MachineSettings } from "./machine-step.ts";
import { environmentOf, expand } from "./pod-config.ts";
import { mountedFiles } from "./mounted-files.ts";
import { mountedVolumes } from "./mounted-volumes.ts";
import type { Network } from "./network.ts";
import { PodMachine } from "./pod-machine.ts";
import type { ContainerView, PodView } from "./pod-view.ts";
import type { AppModel, ProgramContext, RunningProgram } from "./program.ts";
import { runProbe } from "./run-probe.ts";
import { startProgram } from "./start-program.ts";
import { statusPatch } from "./status-patch.ts";

/** Dependencies and settings of a {@link PodWorker}. */
export interface WorkerParts {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly events: ObjectEvents;
  readonly network: Network;
  /** Contents of persistent volumes. */
  readonly disks: Disks;
  readonly models: readonly AppModel[];
  readonly settings: MachineSettings;
  /** Log size that is kept per run, in characters. */
  readonly logCharactersMax: number;
  /** Aborts everything in flight. */
  readonly signal: AbortSignal;
}

interface Run {
  readonly number: number;
  readonly program: RunningProgram;
  readonly log: LogRing;
}

/** Delay before a failed status update is retried. */
const statusRetryMs = 1_000;

/** Drives the state machine of one pod: carries out its effects, feeds back results, and writes its status. */
export class PodWorker {
  readonly #parts: WorkerParts;
  readonly #machine: PodMachine;
  readonly #runs = new Map<string, Run>();
  readonly #logs = new Map<string, { current: LogRing; previous: LogRing | undefined }>();
  readonly #disposed = new AbortController();
  readonly #scratch = new Map<string, VolumeFiles>();
  #timer: Timer | undefined;
  #shown: PodStatus | undefined;
  #writing: Promise<void> | undefined;
  #isToRemove = false;

  constructor(pod: PodView, parts: WorkerParts) {
    this.#parts = parts;
    // Each probe in flight listens to the signal.
    setMaxListeners(0, this.#disposed.signal);
    this.#machine = new PodMachine(pod, parts.settings, parts.clock.now());
  }

  /** Starts the state machine. */
  start(): void {
    this.#handle({ type: "time" });
  }

  get uid(): string {
    return this.#machine.pod.metadata.uid ?? "";
  }

  get ip(): string {
    return this.#parts.settings.ip;
  }

  get pod(): PodView {
    return this.#machine.pod;
  }

  /** Passes on a change of the pod. */
  update(pod: PodView): void {
    this.#handle({ type: "pod", pod });
  }

  /** Runs the state machine now, because a ConfigMap or Secret that the pod may wait for has changed. */
  recheck(): void {
    this.#handle({ type: "time" });
  }

  /** Returns the logs of the current and the previous run of a container; undefined when it has never run. */
  logsOf(container: string): { readonly current: LogRing; readonly previous: LogRing | undefined } | undefined {
    return this.#logs.get(container);
  }

  /** Stops everything, because the pod is deleted or the node stops. */
  async dispose(): Promise<void> {
    this.#disposed.abort(new Error("pod worker stopped"));
    this.#timer?.[Symbol.dispose]();
    for (const { program, log } of this.#runs.values()) {
      program.kill();
      log.end();
    }
    this.#runs.clear();
    this.#parts.network.removePod(this.uid);
    await this.#writing;
  }

  #handle(input: Input): void {
    if (this.#disposed.signal.aborted) return;
    const { clock } = this.#parts;
    for (const effect of this.#machine.handle(input, clock.now())) this.#carryOut(effect);
    this.#publishEndpoint();
    this.#scheduleStatusWrite();
    this.#timer?.[Symbol.dispose]();
    const { dueAt } = this.#machine;
    this.#timer =
      dueAt === Infinity ? undefined : clock.schedule(dueAt - clock.now(), () => this.#handle({ type: "time" }));
  }

  #carryOut(effect: Effect): void {
    switch (effect.do) {
      case "event": {
        const { type, reason, message, fieldPath } = effect;
        this.#parts.events.record(this.#machine.pod, { type, reason, message, fieldPath });
        return;
      }
      case "start":
        return this.#startRun(effect.container, effect.run);
      case "terminate":
        return this.#runOf(effect)?.program.terminate();
      case "kill": {
        const run = this.#runOf(effect);
        run?.program.kill();
        this.#endRun(effect.container, effect.run, { exitCode: 137 });
        return;
      }
      case "probe":
        void this.#probe(effect);
        return;
      case "remove":
        this.#isToRemove = true;
    }
  }

  #runOf({ container, run }: { readonly container: string; readonly run: number }): Run | undefined {
    const found = this.#runs.get(container);
    return found?.number === run ? found : undefined;
  }

  #startRun(name: string, number: number): void {
    const { clock, models, settings, logCharactersMax } = this.#parts;
    const spec = this.#containerNamed(name);
    if (spec === undefined) return;
    const log = new LogRing(logCharactersMax);
    this.#logs.set(name, { current: log, previous: this.#logs.get(name)?.current });
    const isInit = this.#machine.pod.spec?.initContainers?.some((init) => init.name === name) === true;
    const script = settings.scriptOf(name, isInit);
    const context = this.#contextOf(spec, {
      options: script.options ?? {},
      restarts: number - 1,
      print: (text) => log.print(text, clock.now()),
      exit: (exit) => this.#endRun(name, number, exit),
    });
    // A program may exit during its start, before it is registered as running. The exit is held back until then;
    // otherwise it would be ignored as that of an unknown run.
    const early: { exit?: Exit } = {};
    let isStarting = true;
    const start = (): RunningProgram =>
      startProgram(
        {
          ...context,
          exit: (exit) => {
            if (isStarting) early.exit ??= exit;
            else context.exit(exit);
          },
        },
        script,
        models,
      );
    let program: RunningProgram = { terminate: () => undefined, kill: () => undefined };
    try {
      program = start();
    } catch (error) {
      // App models are user code: an error in one ends its container and must not affect the node.
      this.#parts.log.error("App model failed to start", { container: name, error });
      early.exit = { exitCode: 128, reason: "StartError", message: String(error) };
    }
    this.#runs.set(name, { number, program, log });
    isStarting = false;
    if (early.exit !== undefined) context.exit(early.exit);
  }

  #contextOf(
    spec: ContainerView,
    own: Pick<ProgramContext, "options" | "restarts" | "print" | "exit">,
  ): ProgramContext {
    const { clock, random, network, settings, disks } = this.#parts;
    const { config } = settings;
    const { metadata } = this.#machine.pod;
    const env = environmentOf(this.#machine.pod, spec, settings);
    return {
      ...own,
      pod: {
        namespace: metadata.namespace ?? "",
        name: metadata.name ?? "",
        uid: this.uid,
        ip: settings.ip,
        labels: metadata.labels ?? {},
      },
      container: {
        name: spec.name,
        image: spec.image ?? "",
        command: (spec.command ?? []).map((word) => expand(word, env)),
        args: (spec.args ?? []).map((word) => expand(word, env)),
        ports: (spec.ports ?? []).map(({ name = "", containerPort }) => ({ name, port: containerPort })),
      },
      env,
      clock,
      random,
      network,
      files: mountedFiles(this.#machine.pod, spec, config),
      volumes: mountedVolumes(this.#machine.pod, spec, { config, disks, scratch: this.#scratch }),
    };
  }

  /**
   * Records the exit of a run. The state machine gets it in a later tick, because it may be processing an input right
   * now.
   */
  #endRun(container: string, run: number, exit: Exit): void {
    const found = this.#runOf({ container, run });
    if (found === undefined) return;
    this.#runs.delete(container);
    found.log.end();
    const spec = this.#containerNamed(container);
    const usesLog = spec?.terminationMessagePolicy === "FallbackToLogsOnError" && exit.exitCode !== 0;
    const message = exit.message ?? (usesLog ? lastLines(found.log) : undefined);
    this.#parts.clock.schedule(0, () => this.#handle({ type: "exited", container, run, exit: { ...exit, message } }));
  }

  async #probe({ container, run, kind }: Extract<Effect, { do: "probe" }>): Promise<void> {
    const { network, clock, settings } = this.#parts;
    const spec = this.#containerNamed(container);
    const found = this.#runOf({ container, run });
    const probe = spec === undefined ? undefined : probeOf(spec, kind);
    if (spec === undefined || found === undefined || probe === undefined) return;
    const { signal } = this.#disposed;
    try {
      const scope = { container: spec, ip: settings.ip, program: found.program, network, clock, signal };
      const { ok, output } = await runProbe(probe, scope);
      this.#handle({ type: "probed", container, run, kind, ok, output });
    } catch (error) {
      if (!signal.aborted) this.#parts.log.warn("Failed to run probe", { container, kind, error });
    }
  }

  #containerNamed(name: string): ContainerView | undefined {
    const { spec } = this.#machine.pod;
    return [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].find((one) => one.name === name);
  }

  /** Publishes the pod's address, labels and readiness to the network. */
  #publishEndpoint(): void {
    const { network, settings } = this.#parts;
    const { metadata, spec } = this.#machine.pod;
    const { status } = this.#machine;
    if (status === undefined || this.#machine.isTerminal) return network.removePod(this.uid);
    const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
    network.setPod(this.uid, {
      namespace: metadata.namespace ?? "",
      name: metadata.name ?? "",
      hostname: spec?.hostname ?? "",
      subdomain: spec?.subdomain ?? "",
      ip: settings.ip,
      labels: metadata.labels ?? {},
      isReady: status.conditions?.find(({ type }) => type === "Ready")?.status === "True",
      ports: new Map(
        containers.flatMap(({ ports = [] }) =>
          ports.flatMap(({ name, containerPort }) => (name === undefined ? [] : [[name, containerPort]])),
        ),
      ),
    });
  }

  #scheduleStatusWrite(): void {
    const { status } = this.#machine;
    const isNew = status !== undefined && !isEqual(status, this.#shown);
    if (!isNew && !this.#isToRemove) return;
    this.#writing ??= this.#writeStatus().finally(() => (this.#writing = undefined));
  }

  async #writeStatus(): Promise<void> {
    const { client, clock, log } = this.#parts;
    const { signal } = this.#disposed;
    const { namespace = "", name = "" } = this.#machine.pod.metadata;
    while (!signal.aborted) {
      const { status, pod } = this.#machine;
      try {
        if (status !== undefined && !isEqual(status, this.#shown)) {
          const own = new Set((status.conditions ?? []).map(({ type }) => type));
          const others = (pod.status?.conditions ?? []).map(({ type }) => type).filter((type) => !own.has(type));
          const strategic = statusPatch(status, { uid: this.uid, others });
          await client.patch(
            Pod,
            { namespace, name },
            { strategic },
            { subresource: "status", fieldManager: "kubelet", signal },
          );
          this.#shown = status;
        } else if (this.#isToRemove) {
          this.#isToRemove = false;
          await client.delete(
            Pod,
            { namespace, name },
            { gracePeriodSeconds: 0, preconditions: { uid: this.uid }, signal },
          );
          return;
        } else return;
      } catch (error) {
        if (signal.aborted || error instanceof NotFoundError) return;
        log.warn("Failed to update pod status", { pod: `${namespace}/${name}`, error });
        await clock.sleep(statusRetryMs, signal).catch(() => undefined);
      }
    }
  }
}

const fallbackLinesMax = 80;
const fallbackCharactersMax = 2_048;

/** Returns the end of the log, used as termination message with `FallbackToLogsOnError`. */
function lastLines(log: LogRing): string {
  const lines = log.since(0).slice(-fallbackLinesMax);
  return lines
    .map(({ text }) => `${text}\n`)
    .join("")
    .slice(-fallbackCharactersMax);
}
