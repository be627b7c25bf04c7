// The status of a tenant, derived from the outcome of a reconcile.

import type { ConditionValue, DeepReadonly, StatusPlan } from "homeostat";
import { cutText, formatTime } from "@homeostat/core";
import type { ResourceQuota } from "@homeostat/kubernetes/core/v1";
import { serverUrl } from "../api/names.ts";
import { type ConditionType, messageLengthMax, type Reason } from "../api/status.ts";
import type { ComponentStatus, Phase, RedisCredentials, Tenant, TenantStatus } from "../api/tenant.ts";
import { type ComponentState, componentState, type ObservedComponent } from "./component.ts";

/** A condition with one of the reasons of its type. */
export type TypedCondition<C extends ConditionType> = ConditionValue<Reason<C>> & { readonly message: string };

/** The reason why a tenant has no usable namespace. */
export interface NamespaceMissing {
  readonly reason: Exclude<Reason<"NamespaceReady">, "Active">;
  readonly message: string;
}

/** The outcome of a reconcile that applied the tenant's objects. */
export interface AppliedOutcome {
  readonly redis: ObservedComponent;
  readonly server: ObservedComponent;
  readonly policies:
    | { readonly state: "applied" | "disabled" }
    | { readonly state: "failed"; readonly message: string };
  /** Undefined without claims. */
  readonly storage: TypedCondition<"StorageResized"> | undefined;
  /** Undefined without a quota. */
  readonly quota: TypedCondition<"QuotaPressure"> | undefined;
  /** Undefined when the operator generates the password. */
  readonly passwordSource: TypedCondition<"PasswordSynced"> | undefined;
  /** Undefined while Redis has no password. */
  readonly credentials: RedisCredentials | undefined;
  /** Errors that are retried. */
  readonly error: string | undefined;
  /** An error that a retry cannot fix. */
  readonly failure: { readonly reason: Reason<"Ready">; readonly message: string } | undefined;
}

/** The outcome of a reconcile of a tenant that is not being deleted. */
export type Outcome =
  | { readonly type: "invalidSpec"; readonly message: string }
  | { readonly type: "namespaceMissing"; readonly namespace: NamespaceMissing }
  | { readonly type: "applied"; readonly namespace: string; readonly applied: AppliedOutcome };

/** The tenant that a status is for. */
export interface StatusInput {
  readonly name: string;
  readonly generation: number;
  readonly now: number;
  readonly previous: DeepReadonly<TenantStatus> | undefined;
}

export interface PhaseState {
  readonly phase: Phase;
  readonly message: string;
}

const notPaused: ConditionValue<"NotPaused"> = { status: false, reason: "NotPaused" };

export function deriveStatus(outcome: Outcome, input: StatusInput): StatusPlan<Tenant> {
  switch (outcome.type) {
    case "invalidSpec": {
      const { message } = outcome;
      return {
        fields: phaseFields({ phase: "Failed", message }, input),
        conditions: { Ready: condition({ status: false, reason: "InvalidSpec", message }), Paused: notPaused },
      };
    }
    case "namespaceMissing":
      return namespaceMissing(outcome.namespace, input);
    case "applied":
      return applied(outcome.applied, outcome.namespace, input);
  }
}

function namespaceMissing({ reason, message }: NamespaceMissing, input: StatusInput): StatusPlan<Tenant> {
  const waiting = (title: string): ComponentState => ({
    phase: "Pending",
    reason: "Provisioning",
    message: `${title} is waiting for the namespace`,
    readyReplicas: 0,
    totalReplicas: 0,
  });
  const [redis, server] = [waiting("Redis"), waiting("Server")];
  const readyReasons = {
    NamespaceConflict: "NamespaceConflict",
    NamespaceTerminating: "Provisioning",
    CreateFailed: "ReconcileError",
  } as const satisfies Record<NamespaceMissing["reason"], Reason<"Ready">>;
  return {
    fields: {
      ...phaseFields({ phase: reason === "NamespaceConflict" ? "Failed" : "Pending", message }, input),
      redisStatus: componentStatus(redis, input.previous?.redisStatus, input.now),
      serverStatus: componentStatus(server, input.previous?.serverStatus, input.now),
    },
    conditions: {
      Ready: condition({ status: false, reason: readyReasons[reason], message }),
      NamespaceReady: condition({ status: false, reason, message }),
      RedisReady: componentCondition(redis),
      ServerReady: componentCondition(server),
      Paused: notPaused,
    },
  };
}

function applied(outcome: AppliedOutcome, namespace: string, input: StatusInput): StatusPlan<Tenant> {
  const { previous, now, name } = input;
  const { failure, credentials, storage, quota, passwordSource } = outcome;
  const redis = componentState(outcome.redis);
  const server = componentState(outcome.server);
  const state: PhaseState =
    failure === undefined ? tenantPhase({ redis, server }) : { phase: "Failed", message: failure.message };
  return {
    fields: {
      ...phaseFields(state, input),
      namespace,
      redisStatus: componentStatus(redis, previous?.redisStatus, now),
      serverStatus: componentStatus(server, previous?.serverStatus, now),
      urls: { server: serverUrl(name) },
      ...(credentials === undefined ? {} : { redisCredentials: credentials }),
    },
    conditions: {
      Ready: condition(readyCondition(outcome, [redis, server], state)),
      NamespaceReady: condition({ status: true, reason: "Active", message: `Namespace ${namespace} is active` }),
      RedisReady: componentCondition(redis),
      ServerReady: componentCondition(server),
      NetworkPoliciesReady: condition(policiesCondition(outcome.policies)),
      StorageResized: storage && condition(storage),
      PasswordSynced: passwordSource && condition(passwordSource),
      QuotaPressure: quota && condition(quota),
      Paused: notPaused,
    },
  };
}

/** Returns the phase of a tenant. The first rule that applies decides. */
export function tenantPhase({ redis, server }: Readonly<Record<"redis" | "server", ComponentState>>): PhaseState {
  const components = [
    { title: "Redis", name: "Redis", state: redis },
    { title: "Server", name: "server", state: server },
  ];
  const inPhase = (...phases: readonly string[]): typeof components =>
    components.filter(({ state }) => phases.includes(state.phase));
  const messages = (all: typeof components): string =>
    all.map(({ title, state }) => `${title}: ${state.message}`).join("; ");
  const failed = inPhase("Failed");
  if (failed.length > 0) return { phase: "Failed", message: messages(failed) };
  if (inPhase("Hibernated").length === 2) return { phase: "Hibernated", message: "Tenant is hibernated" };
  const waiting = inPhase("Pending", "Provisioning", "Hibernated");
  if (waiting.length > 0) {
    return { phase: "Provisioning", message: `Waiting for ${waiting.map(({ name }) => name).join(", ")}` };
  }
  const degraded = inPhase("Degraded");
  if (degraded.length > 0) return { phase: "Degraded", message: messages(degraded) };
  return { phase: "Running", message: "Tenant is running" };
}

function readyCondition(
  { failure, error, policies }: AppliedOutcome,
  components: readonly ComponentState[],
  { phase, message }: PhaseState,
): TypedCondition<"Ready"> {
  const notReady = (reason: Reason<"Ready">, why = message): TypedCondition<"Ready"> => ({
    status: false,
    reason,
    message: why,
  });
  if (failure !== undefined) return notReady(failure.reason, failure.message);
  if (error !== undefined) return notReady("ReconcileError", error);
  if (policies.state === "failed") return notReady("ReconcileError", policies.message);
  switch (phase) {
    case "Running":
      return { status: true, reason: "TenantReady", message: "Tenant is ready" };
    case "Hibernated":
      return notReady("Hibernated");
    case "Pending":
    case "Provisioning":
      return notReady("Provisioning");
    case "Failed":
      return notReady(components.some(({ reason }) => reason === "ResourceConflict") ? "ResourceConflict" : "Degraded");
    case "Degraded":
    case "Terminating":
      return notReady("Degraded");
  }
}

function componentCondition({ phase, reason, message }: ComponentState): ConditionValue<ComponentState["reason"]> {
  return condition({ status: phase === "Running", reason, message });
}

function policiesCondition(policies: AppliedOutcome["policies"]): TypedCondition<"NetworkPoliciesReady"> {
  switch (policies.state) {
    case "applied":
      return { status: true, reason: "Applied", message: "Network policies are applied" };
    case "disabled":
      return { status: true, reason: "Disabled", message: "Network policies are disabled" };
    case "failed":
      return { status: false, reason: "ApplyFailed", message: policies.message };
  }
}

/** Above this share a quota is reported as nearly used up. */
const quotaPressureAbove = 0.9;

/** Returns the condition `QuotaPressure`; undefined without a quota. */
export function quotaCondition(
  quota: DeepReadonly<ResourceQuota> | undefined,
  usage: ReadonlyMap<string, number>,
): TypedCondition<"QuotaPressure"> | undefined {
  if (quota === undefined) return undefined;
  const high = [...usage].filter(([, ratio]) => ratio > quotaPressureAbove);
  if (high.length === 0) return { status: false, reason: "WithinQuota", message: "Usage is within the quota" };
  const shares = high.map(([resource, ratio]) => `${resource} ${Math.floor(ratio * 100)}%`).toSorted();
  return {
    status: true,
    reason: "AboveThreshold",
    message: `Usage is above ${quotaPressureAbove * 100}% of the quota: ${shares.join(", ")}`,
  };
}

/** Returns the status fields of a phase. `lastTransitionTime` changes only with the phase. */
export function phaseFields(
  { phase, message }: PhaseState,
  { previous, generation, now }: StatusInput,
): Omit<TenantStatus, "conditions"> {
  return {
    phase,
    message: cutText(message, messageLengthMax),
    observedGeneration: generation,
    lastTransitionTime: transitionTime(phase, previous, now),
  };
}

function componentStatus(
  { message, ...state }: ComponentState,
  previous: DeepReadonly<ComponentStatus> | undefined,
  now: number,
): ComponentStatus {
  const lastTransitionTime = transitionTime(state.phase, previous, now);
  return { ...state, message: cutText(message, messageLengthMax), lastTransitionTime };
}

function transitionTime(
  phase: Phase,
  previous: Pick<DeepReadonly<TenantStatus>, "phase" | "lastTransitionTime"> | undefined,
  now: number,
): string {
  return (previous?.phase === phase ? previous.lastTransitionTime : undefined) ?? formatTime(now);
}

/** Cuts the message of a condition to what the schema accepts. */
export function condition<R extends string>({
  status,
  reason,
  message,
}: ConditionValue<R> & { readonly message: string }): ConditionValue<R> {
  return { status, reason, message: cutText(message, messageLengthMax) };
}
