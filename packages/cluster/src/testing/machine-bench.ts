import { SeededRandom } from "@homeostat/core";
import type { Container, Pod, PodSpec } from "@homeostat/kubernetes/core/v1";
import type { ProbeKind } from "../node/container-state.ts";
import type { Exit } from "../node/exit.ts";
import { defaultDelays, type Effect, type Input, type NodeDelays } from "../node/machine-step.ts";
import type { ConfigReader } from "../node/pod-config.ts";
import { PodMachine } from "../node/pod-machine.ts";
import { readScripts, type Script } from "../node/script.ts";

/** Start time of the scenarios. */
export const beginning: number = Date.UTC(2026, 0, 1);

/** Builds a container whose image is present on the node. */
export function container(name: string, more: Partial<Container> = {}): Container {
  return { name, image: "app:1", ...more };
}

/** Builds a pod that is bound to the node. */
export function podOf(spec: Partial<PodSpec>, metadata: Partial<Pod["metadata"]> = {}): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web", namespace: "default", uid: "u1", generation: 1, ...metadata },
    spec: { containers: [container("main")], ...spec },
    status: { phase: "Pending", qosClass: "BestEffort" },
  };
}

/** Builds a reader of ConfigMaps and Secrets by `namespace/name`. */
export function configOf(
  maps: Record<string, Record<string, string>>,
  secrets: Record<string, Record<string, string>> = {},
): ConfigReader {
  const read = (all: Record<string, Record<string, string>>, key: string): ReadonlyMap<string, string> | undefined =>
    all[key] === undefined ? undefined : new Map(Object.entries(all[key]));
  return {
    configMap: (namespace, name) => read(maps, `${namespace}/${name}`),
    secret: (namespace, name) => read(secrets, `${namespace}/${name}`),
  };
}

/** The behaviour of a container's process. */
export interface Behaviour {
  /** Exit of each run: the time after its start, and the result. The last entry applies to all later runs. */
  readonly runs?: readonly ({ readonly afterMs: number } & Exit)[];
  /** Exit after SIGTERM; undefined when it ignores the signal. */
  readonly onTerm?: { readonly afterMs: number } & Exit;
  /** Returns the result of a probe at a time after the start. */
  readonly probe?: (kind: ProbeKind, ageMs: number) => boolean;
}

/** One observed status. */
export interface ObservedStatus {
  readonly atMs: number;
  readonly text: string;
}

/** A pod's state machine with scripted programs and a clock that jumps to the next due time. */
export class MachineBench {
  readonly machine: PodMachine;
  readonly events: string[] = [];
  readonly observed: ObservedStatus[] = [];
  readonly effects: Effect[] = [];
  now: number = beginning;
  isRemoved = false;
  readonly #behaviours: Readonly<Record<string, Behaviour>>;
  readonly #due: { readonly at: number; readonly input: () => Input }[] = [];
  readonly #startedAt = new Map<string, number>();

  constructor(
    pod: Pod,
    {
      behaviours = {},
      config = configOf({}),
      script = {},
      delays = {},
    }: {
      behaviours?: Readonly<Record<string, Behaviour>>;
      config?: ConfigReader;
      script?: Script;
      delays?: Partial<NodeDelays>;
    } = {},
  ) {
    this.#behaviours = behaviours;
    const scripts = readScripts(pod.metadata.annotations?.["homeostat.dev/simulate"]);
    this.machine = new PodMachine(
      pod,
      {
        ip: "10.0.0.2",
        hostIP: "10.1.0.1",
        delays: { ...defaultDelays, ...delays },
        random: new SeededRandom(1),
        config,
        images: new Set(["app:1"]),
        scriptOf: (name, isInit) => ({ ...(isInit ? {} : script), ...scripts.for(name, isInit) }),
      },
      this.now,
    );
    this.send({ type: "time" });
  }

  /** Advances the time. */
  pass(ms: number): this {
    const end = this.now + ms;
    for (let steps = 0; steps < 100_000; steps += 1) {
      const due = [...this.#due].sort((a, b) => a.at - b.at)[0];
      const next = Math.min(this.machine.dueAt, due?.at ?? Infinity);
      if (next > end) break;
      this.now = Math.max(this.now, next);
      if (due !== undefined && due.at <= next) {
        this.#due.splice(this.#due.indexOf(due), 1);
        this.send(due.input());
      } else this.send({ type: "time" });
    }
    this.now = end;
    return this;
  }

  /** Deletes the pod, as the API server does. */
  delete(graceSeconds: number): this {
    const { pod } = this.machine;
    const metadata = {
      ...pod.metadata,
      deletionTimestamp: new Date(this.now + graceSeconds * 1_000).toISOString(),
      deletionGracePeriodSeconds: graceSeconds,
      generation: 2,
    };
    this.send({ type: "pod", pod: { ...pod, metadata } });
    return this;
  }

  send(input: Input): void {
    for (const effect of this.machine.handle(input, this.now)) this.#act(effect);
    // The driver calls the machine at that time: a time in the past would make it loop forever.
    if (this.machine.dueAt <= this.now)
      throw new Error(`a step was due at ${this.machine.dueAt - beginning} and was not done`);
    const text = this.summary;
    if (this.observed.at(-1)?.text !== text) this.observed.push({ atMs: this.now - beginning, text });
  }

  /** The status of the pod in one line. */
  get summary(): string {
    const { status } = this.machine;
    const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
    const ready = status?.conditions?.find(({ type }) => type === "Ready");
    const containers = all.map(({ name, state, ready: isReady, restartCount }) => {
      const shown =
        state?.running !== undefined
          ? "running"
          : (state?.waiting?.reason ?? `${state?.terminated?.reason ?? "?"}(${state?.terminated?.exitCode ?? "?"})`);
      return `${name}:${shown}${isReady ? "+" : ""}${restartCount > 0 ? `x${restartCount}` : ""}`;
    });
    return `${status?.phase ?? "?"} ${ready?.status === "True" ? "Ready" : (ready?.reason ?? "NotReady")} ${containers.join(" ")}`;
  }

  /** The observed statuses in order. */
  get story(): string[] {
    return this.observed.map(({ text }) => text);
  }

  #act(effect: Effect): void {
    this.effects.push(effect);
    if (effect.do === "event") {
      this.events.push(
        `${effect.type} ${effect.reason} ${effect.message}${effect.fieldPath === undefined ? "" : ` @${effect.fieldPath}`}`,
      );
      return;
    }
    if (effect.do === "remove") {
      this.isRemoved = true;
      return;
    }
    const { container: name, run } = effect;
    const { runs = [], onTerm, probe } = this.#behaviours[name] ?? {};
    const exitAfter = (afterMs: number, exit: Exit): void => {
      this.#due.push({ at: this.now + afterMs, input: () => ({ type: "exited", container: name, run, exit }) });
    };
    switch (effect.do) {
      case "start": {
        this.#startedAt.set(name, this.now);
        const end = runs[Math.min(run, runs.length) - 1];
        if (end !== undefined) exitAfter(end.afterMs, end);
        return;
      }
      case "terminate":
        if (onTerm !== undefined) exitAfter(onTerm.afterMs, onTerm);
        return;
      case "kill":
        return exitAfter(0, { exitCode: 137 });
      case "probe": {
        const ok = probe?.(effect.kind, this.now - (this.#startedAt.get(name) ?? 0)) ?? true;
        this.#due.push({
          at: this.now,
          input: () => ({ type: "probed", container: name, run, kind: effect.kind, ok, output: ok ? "" : "no" }),
        });
      }
    }
  }
}
