// The state of the entries after forks were applied, for the status.

import { serviceAddress } from "../api/names.ts";
import type { EntryStatus } from "../api/sandbox.ts";
import { readForkState } from "../build/fork-state.ts";
import { isRefusal, type Refusal, refusalMessage } from "../build/refusal.ts";
import type { DeepReadonly } from "@homeostat/core";
import type { Service } from "@homeostat/kubernetes/core/v1";
import { keepsRoutes } from "../decide/drift.ts";
import type { IdleDecision } from "../decide/idle.ts";
import type { EntryOutcome, PermanentProblem, ServiceOutcome } from "../status/sandbox-outcome.ts";
import { type ExaminedEntry, type ExaminedFork, type ExaminedOther, healthOf } from "./entries.ts";
import type { SandboxContext } from "./sandbox-context.ts";

/** Returns the outcome of each entry. Forks are read again, because the cache contains the objects that were just applied. */
export function entryOutcomes(
  context: SandboxContext,
  { entries, idle }: { readonly entries: readonly ExaminedEntry[]; readonly idle: IdleDecision },
): readonly EntryOutcome[] {
  return entries.map((entry) =>
    entry.mode === "Fork" ? forkOutcome(context, entry, idle) : otherOutcome(context, entry),
  );
}

function forkOutcome(context: SandboxContext, examined: ExaminedFork, idle: IdleDecision): EntryOutcome {
  const { entry, target, name, derived, decision, baselineState, replicas: whenAwake } = examined;
  const { runtime } = context;
  const live = runtime.owned.forks.get({ namespace: target.namespace, name });
  const replicas = idle.state === "awake" ? whenAwake : 0;
  const health = healthOf(context, { name, live, replicas });
  const services = keepsRoutes(decision.drift, baselineServices(context, examined))
    ? forkServices(context, examined)
    : [];
  const problem =
    live === undefined ? creationProblem(examined) : readyProblem(context, examined, health.message, health.isFailed);
  const state = live === undefined && examined.baseline === undefined ? "Missing" : health.state;
  const notes = derived === undefined || isRefusal(derived) ? [] : derived.notes;
  const blocking = derived === undefined || isRefusal(derived) ? [] : derived.blockingClaims;
  return {
    name: entry.name,
    mode: "Fork",
    state,
    message: messageOf([health.message, decision.message, ...notes]),
    problem,
    isRunning: live !== undefined,
    forkName: live === undefined ? undefined : name,
    replicas,
    readyReplicas: health.readyReplicas,
    services,
    missingPorts: examined.forkServices?.missingPorts ?? recordedEntry(context, entry.name)?.missingPorts ?? [],
    endpoint: endpointOf(services, target.namespace),
    baseline: baselineState,
    forkedFrom: live === undefined ? undefined : readForkState(live).current?.forkedFrom,
    drift: decision.drift,
    driftReason: decision.reason,
    warnings:
      blocking.length === 0
        ? []
        : [
            {
              reason: "VolumeMayBlock",
              message: `the claims ${blocking.join(", ")} can be mounted by one node only; use volumes: Ephemeral if pods of the fork do not start`,
            },
          ],
  };
}

/** Returns how many of the Services for which the fork has Services still exist in the baseline. */
function baselineServices({ runtime, status }: SandboxContext, { entry, target }: ExaminedFork): number {
  const known = recorded(status.services, entry.name)?.services ?? [];
  return known.filter(({ baseline: name }) =>
    runtime.watched.baselineServices.has({ namespace: target.namespace, name }),
  ).length;
}

/** Returns the error that prevented the creation of the fork. */
function creationProblem({ target, baseline, derived }: ExaminedFork): PermanentProblem | undefined {
  if (baseline === undefined) {
    const { kind, namespace, name } = target;
    const message = `${kind} ${namespace}/${name} does not exist or has no pod template; create it, or correct targetRef`;
    return { reason: "BaselineMissing", message };
  }
  return derived !== undefined && isRefusal(derived) ? problemOf(derived) : undefined;
}

/** Returns the error of a fork that did not become ready in time when it started first. Later failures only degrade the sandbox. */
function readyProblem(
  context: SandboxContext,
  { entry, derived }: ExaminedFork,
  message: string | undefined,
  isFailed: boolean,
): PermanentProblem | undefined {
  if (derived !== undefined && isRefusal(derived)) return problemOf(derived);
  const wasReady = context.status.readyAt !== undefined;
  return isFailed && !wasReady
    ? { reason: "ReadyTimeoutExceeded", message: message ?? `the fork of entry ${entry.name} is not ready` }
    : undefined;
}

function problemOf(refusal: Refusal): PermanentProblem {
  return { reason: refusal.reason, message: refusalMessage(refusal) };
}

/** Returns the Services of a fork as they exist in the cluster. */
function forkServices({ runtime, status }: SandboxContext, examined: ExaminedFork): readonly ServiceOutcome[] {
  const { entry, forkServices: built } = examined;
  // Without a baseline nothing is built, and the recorded Services are kept.
  if (built === undefined) return (recorded(status.services, entry.name)?.services ?? []).map(recordedService);
  return built.services.flatMap(({ baseline, service }) => {
    const live = runtime.owned.services.get({ namespace: service.metadata.namespace, name: service.metadata.name });
    return live === undefined ? [] : [{ baseline, fork: service.metadata.name, ports: portsOf(live) }];
  });
}

function recorded(
  services: DeepReadonly<EntryStatus>[] | readonly DeepReadonly<EntryStatus>[] | undefined,
  name: string,
) {
  return services?.find((state) => state.name === name);
}

function recordedEntry({ status }: SandboxContext, name: string): DeepReadonly<EntryStatus> | undefined {
  return recorded(status.services, name);
}

function recordedService({
  baseline,
  fork,
  ports = [],
}: DeepReadonly<NonNullable<EntryStatus["services"]>[number]>): ServiceOutcome {
  return {
    baseline,
    fork,
    ports: ports.map(({ port, targetPort, protocol, routable }) => ({ port, targetPort, protocol, routable })),
  };
}

/** Protocols whose connections carry no routing key. */
const opaqueProtocols: ReadonlySet<string> = new Set(["tcp", "kubernetes.io/tcp"]);

function portsOf({ spec }: DeepReadonly<Service>): ServiceOutcome["ports"] {
  return (spec?.ports ?? []).map(({ port, targetPort, protocol = "TCP", appProtocol = "" }) => ({
    port,
    targetPort,
    protocol,
    routable: protocol === "TCP" && !opaqueProtocols.has(appProtocol),
  }));
}

function endpointOf(services: readonly ServiceOutcome[], namespace: string): string | undefined {
  const [first] = services;
  const [port] = first?.ports ?? [];
  return first?.fork === undefined || port === undefined
    ? undefined
    : `http://${serviceAddress(first.fork, namespace, port.port)}`;
}

/** Returns the outcome of an entry without a fork. Its Services are those of the baseline. */
function otherOutcome(context: SandboxContext, { entry, mode, target, baseline, chosen }: ExaminedOther): EntryOutcome {
  const services = isRefusal(chosen)
    ? []
    : chosen.map((service) => ({
        baseline: service.name,
        fork: undefined,
        ports: service.ports.map(({ port, targetPort, protocol = "TCP" }) => ({
          port,
          targetPort,
          protocol,
          routable: true,
        })),
      }));
  const common = {
    name: entry.name,
    mode,
    isRunning: false,
    forkName: undefined,
    replicas: 0,
    readyReplicas: 0,
    services,
    missingPorts: [],
    endpoint: undefined,
    baseline: undefined,
    forkedFrom: undefined,
    drift: undefined,
    driftReason: undefined,
    warnings: [],
  } as const;
  if (baseline === undefined) {
    const message = `${target.kind} ${target.namespace}/${target.name} does not exist; create it, or correct targetRef`;
    return { ...common, state: "Missing", message, problem: { reason: "BaselineMissing", message } };
  }
  if (isRefusal(chosen))
    return { ...common, state: "Failed", message: refusalMessage(chosen), problem: problemOf(chosen) };
  if (mode === "Virtual") return { ...common, state: "Ready", message: undefined, problem: undefined };
  const isConnected = context.runtime.watched.localWorkloads
    .by("sandbox", context.runtime.key)
    .some(({ spec, status }) => spec.service.name === entry.name && status?.phase === "Connected");
  return isConnected
    ? { ...common, state: "Ready", message: undefined, problem: undefined }
    : { ...common, state: "Pending", message: "no LocalWorkload is connected", problem: undefined };
}

function messageOf(parts: readonly (string | undefined)[]): string | undefined {
  const texts = parts.filter((part) => part !== undefined && part !== "");
  return texts.length === 0 ? undefined : texts.join(". ").replaceAll("..", ".");
}
