import type { DeepReadonly } from "@homeostat/core";
import type { Probe } from "@homeostat/kubernetes/core/v1";
import type { ContainerRecord, ProbeKind } from "./container-state.ts";
import { recordEvent, type MachineStep } from "./machine-step.ts";
import { stopContainer } from "./container-stop.ts";
import type { ContainerView } from "./pod-view.ts";

type ProbeView = DeepReadonly<Probe>;

const words: Readonly<Record<ProbeKind, string>> = { startup: "Startup", readiness: "Readiness", liveness: "Liveness" };

/** Returns the probe of a kind; undefined when the container has none. */
export function probeOf(spec: ContainerView, kind: ProbeKind): ProbeView | undefined {
  switch (kind) {
    case "startup":
      return spec.startupProbe;
    case "readiness":
      return spec.readinessProbe;
    case "liveness":
      return spec.livenessProbe;
  }
}

/** Initializes the probes of a container that was just started. */
export function resetProbes(container: ContainerRecord, { now, settings }: MachineStep): void {
  container.probes.clear();
  for (const kind of ["startup", "readiness", "liveness"] as const) {
    const probe = probeOf(container.spec, kind);
    if (probe === undefined) continue;
    const nextAt = now + settings.delays.firstProbeMs + (probe.initialDelaySeconds ?? 0) * 1_000;
    container.probes.set(kind, { nextAt, isInFlight: false, successes: 0, failures: 0 });
  }
}

/** Starts the probes that are due, and updates readiness of a container without a readiness probe. */
export function runProbes(container: ContainerRecord, step: MachineStep): void {
  const { stage, spec, probes } = container;
  if (stage.at !== "running" || container.stopping !== undefined) return;
  if (spec.readinessProbe === undefined)
    container.isReady = container.isStarted && isReadyByScript(container, step.now);
  for (const [kind, state] of probes) {
    if (state.isInFlight || state.nextAt > step.now || !isActive(container, kind)) continue;
    state.isInFlight = true;
    const scripted = scriptedFailure(container, kind, step);
    if (scripted === undefined) step.effects.push({ do: "probe", container: spec.name, run: container.run, kind });
    else applyProbeResult(container, step, { kind, ok: false, output: scripted });
    if (container.stopping !== undefined) return;
  }
}

/**
 * Applies the result of a probe (`worker.doProbe` in pkg/kubelet/prober): a state changes after `successThreshold` or
 * `failureThreshold` consecutive results.
 */
export function applyProbeResult(
  container: ContainerRecord,
  step: MachineStep,
  { kind, ok, output }: { readonly kind: ProbeKind; readonly ok: boolean; readonly output: string },
): void {
  const { spec, fieldPath } = container;
  const state = container.probes.get(kind);
  const probe = probeOf(spec, kind);
  if (
    state === undefined ||
    probe === undefined ||
    container.stage.at !== "running" ||
    container.stopping !== undefined
  )
    return;
  state.isInFlight = false;
  state.nextAt = Math.max(step.now, state.nextAt + (probe.periodSeconds ?? 10) * 1_000);
  state.successes = ok ? state.successes + 1 : 0;
  state.failures = ok ? 0 : state.failures + 1;
  if (!ok) recordEvent(step, "Warning", "Unhealthy", { message: `${words[kind]} probe failed: ${output}`, fieldPath });
  const isPassed = ok && state.successes >= (probe.successThreshold ?? 1);
  const isFailed = !ok && state.failures >= (probe.failureThreshold ?? 3);
  switch (kind) {
    case "readiness":
      if (isPassed || isFailed) container.isReady = isPassed;
      return;
    case "startup":
      if (isPassed) passStartup(container, step);
      else if (isFailed) stopUnhealthy(container, step, kind);
      return;
    case "liveness":
      if (isFailed) stopUnhealthy(container, step, kind);
  }
}

/** Returns when the next probe of a container is due. */
export function nextProbeAt(container: ContainerRecord): number {
  if (container.stage.at !== "running" || container.stopping !== undefined) return Infinity;
  const times = [...container.probes]
    .filter(([kind, { isInFlight }]) => !isInFlight && isActive(container, kind))
    .map(([, { nextAt }]) => nextAt);
  const { readyAfterMs } = container.script;
  const byScript =
    readyAfterMs !== undefined && !container.isReady ? container.stage.startedAt + readyAfterMs : Infinity;
  return Math.min(byScript, ...times);
}

function isActive({ isStarted }: ContainerRecord, kind: ProbeKind): boolean {
  return kind === "startup" ? !isStarted : isStarted;
}

function passStartup(container: ContainerRecord, { now }: MachineStep): void {
  container.isStarted = true;
  const readiness = container.probes.get("readiness");
  if (readiness !== undefined) readiness.nextAt = Math.min(readiness.nextAt, now);
}

function stopUnhealthy(container: ContainerRecord, step: MachineStep, kind: "startup" | "liveness"): void {
  const { spec } = container;
  const { spec: podSpec } = step.pod;
  const graceSeconds =
    probeOf(spec, kind)?.terminationGracePeriodSeconds ?? podSpec?.terminationGracePeriodSeconds ?? 30;
  const policy = spec.restartPolicy ?? podSpec?.restartPolicy ?? "Always";
  const message = `Container ${spec.name} failed ${kind} probe${policy === "Never" ? "" : ", will be restarted"}`;
  container.isKilledByProbe = true;
  stopContainer(container, step, { graceMs: graceSeconds * 1_000, message });
}

/** Reports whether the script lets a container be ready at `now`. */
function isReadyByScript({ script, stage }: ContainerRecord, now: number): boolean {
  if (script.neverReady === true || stage.at !== "running") return false;
  return now >= stage.startedAt + (script.readyAfterMs ?? 0);
}

/** Returns the output of a probe that the script lets fail; undefined when it does not fail by script. */
function scriptedFailure(
  container: ContainerRecord,
  kind: ProbeKind,
  { now, settings }: MachineStep,
): string | undefined {
  const { stage, script, spec } = container;
  if (stage.at !== "running") return undefined;
  const age = now - stage.startedAt;
  const fails: Readonly<Record<ProbeKind, boolean>> = {
    readiness: !isReadyByScript(container, now),
    liveness: script.unhealthyAfterMs !== undefined && age >= script.unhealthyAfterMs,
    startup: script.startupAfterMs !== undefined && age < script.startupAfterMs,
  };
  if (!fails[kind]) return undefined;
  const probe = probeOf(spec, kind);
  if (probe?.httpGet !== undefined) return "HTTP probe failed with statuscode: 503";
  if (probe?.tcpSocket !== undefined) {
    const port = portNumber(spec, probe.tcpSocket.port);
    return `dial tcp ${settings.ip}:${port ?? probe.tcpSocket.port}: connect: connection refused`;
  }
  return probe?.grpc === undefined ? "" : 'service unhealthy (responded with "NOT_SERVING")';
}

/** Resolves a port number or name; undefined when the container has no port of that name. */
export function portNumber({ ports }: ContainerView, port: number | string): number | undefined {
  if (typeof port === "number") return port;
  return ports?.find(({ name }) => name === port)?.containerPort ?? (/^\d+$/.test(port) ? Number(port) : undefined);
}
