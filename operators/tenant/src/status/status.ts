// What the status of a tenant says after a pass: pure, from what the pass has seen and done.

import { cutText, type DeepReadonly, formatTime } from "@homeostat/core";
import type { ConditionValue } from "@homeostat/runtime";
import type { ConditionType, Reason } from "../api/conditions.ts";
import { serverUrl } from "../api/names.ts";
import { messageLengthMax } from "../api/status.ts";
import type { ComponentStatus, Phase, RedisCredentials, TenantStatus } from "../api/tenant.ts";
import { type ComponentState, type ComponentView, componentState } from "./component.ts";
import { type Failure, type PhaseState, tenantPhase } from "./tenant-phase.ts";

/** What a pass has found out about the namespace of a tenant. */
export type NamespaceView =
  | { readonly is: "ready"; readonly name: string }
  | { readonly is: "missing"; readonly reason: Exclude<Reason<"NamespaceReady">, "Active">; readonly message: string };

/** What a pass has found out about a tenant whose namespace is there. */
export interface Sight {
  readonly redis: ComponentView;
  readonly server: ComponentView;
  /** Whether the tenant is closed off as it should be. */
  readonly policies: { readonly is: "applied" | "disabled" } | { readonly is: "failed"; readonly message: string };
  /** Undefined when there are no claims. */
  readonly storage: Told<"StorageResized"> | undefined;
  /** Undefined when there is no quota. */
  readonly quota: Told<"QuotaPressure"> | undefined;
  /** Undefined when Redis needs no password, or has none yet. */
  readonly credentials: RedisCredentials | undefined;
  /** What went wrong in the pass and is tried again; undefined when nothing did. */
  readonly error: string | undefined;
  /** What the API server will never take; undefined when there is no such thing. */
  readonly failure: Failure | undefined;
}

/** A condition with a reason that it can have. */
export interface Told<C extends ConditionType> {
  readonly status: boolean;
  readonly reason: Reason<C>;
  readonly message: string;
}

/** What a pass has found out about a tenant. */
export type Observed =
  /** What it asks for cannot be made. */
  | { readonly is: "invalid"; readonly message: string }
  /** It has no namespace. */
  | { readonly is: "homeless"; readonly namespace: NamespaceView & { readonly is: "missing" } }
  | { readonly is: "seen"; readonly namespace: string; readonly sight: Sight };

/** Fields and conditions that a status is to have; undefined takes a condition away. */
export interface StatusPlan {
  readonly fields: Omit<TenantStatus, "conditions">;
  readonly conditions: { readonly [C in ConditionType]?: ConditionValue | undefined };
}

/** What holds for every tenant that is not being deleted. */
export interface Occasion {
  readonly name: string;
  readonly generation: number;
  readonly now: number;
  readonly before: DeepReadonly<TenantStatus> | undefined;
}

const notPaused: ConditionValue = { status: false, reason: "NotPaused" };

/** The status of a tenant after a pass. */
export function deriveStatus(observed: Observed, occasion: Occasion): StatusPlan {
  switch (observed.is) {
    case "invalid":
      return invalid(observed.message, occasion);
    case "homeless":
      return homeless(observed.namespace, occasion);
    case "seen":
      return seen(observed.sight, observed.namespace, occasion);
  }
}

function invalid(message: string, occasion: Occasion): StatusPlan {
  const state = tenantPhase({ is: "failed", failure: { reason: "InvalidSpec", message } });
  return {
    fields: phaseFields(state, occasion),
    conditions: { Ready: told({ status: false, reason: "InvalidSpec", message }), Paused: notPaused },
  };
}

function homeless(namespace: NamespaceView & { is: "missing" }, occasion: Occasion): StatusPlan {
  const { reason, message } = namespace;
  const isConflict = reason === "NamespaceConflict";
  const state = isConflict
    ? tenantPhase({ is: "failed", failure: { reason, message } })
    : tenantPhase({ is: "waiting", message });
  const absent = (title: string): ComponentState => ({
    phase: "Pending",
    reason: "Provisioning",
    message: `${title} waits for the namespace`,
    readyReplicas: 0,
    totalReplicas: 0,
  });
  const [redis, server] = [absent("Redis"), absent("Server")];
  const before = occasion.before;
  return {
    fields: {
      ...phaseFields(state, occasion),
      redisStatus: componentStatus(redis, before?.redisStatus, occasion.now),
      serverStatus: componentStatus(server, before?.serverStatus, occasion.now),
    },
    conditions: {
      Ready: told({ status: false, reason: readyWhileHomeless(reason), message }),
      NamespaceReady: told({ status: false, reason, message }),
      RedisReady: told({ status: false, reason: "Provisioning", message: redis.message }),
      ServerReady: told({ status: false, reason: "Provisioning", message: server.message }),
      Paused: notPaused,
    },
  };
}

function readyWhileHomeless(reason: Reason<"NamespaceReady">): Reason<"Ready"> {
  if (reason === "NamespaceConflict") return "NamespaceConflict";
  return reason === "CreateFailed" ? "ReconcileError" : "Provisioning";
}

function seen(sight: Sight, namespace: string, occasion: Occasion): StatusPlan {
  const { before, now, name } = occasion;
  const redis = componentState(sight.redis);
  const server = componentState(sight.server);
  const { failure } = sight;
  const state = tenantPhase(failure === undefined ? { is: "there", redis, server } : { is: "failed", failure });
  return {
    fields: {
      ...phaseFields(state, occasion),
      namespace,
      redisStatus: componentStatus(redis, before?.redisStatus, now),
      serverStatus: componentStatus(server, before?.serverStatus, now),
      urls: { server: serverUrl(name) },
      ...(sight.credentials === undefined ? {} : { redisCredentials: sight.credentials }),
    },
    conditions: {
      Ready: told(readiness({ sight, redis, server, state })),
      NamespaceReady: told({ status: true, reason: "Active", message: `Namespace ${namespace} is there` }),
      RedisReady: componentCondition(redis),
      ServerReady: componentCondition(server),
      NetworkPoliciesReady: told(policiesCondition(sight.policies)),
      StorageResized: sight.storage === undefined ? undefined : told(sight.storage),
      QuotaPressure: sight.quota === undefined ? undefined : told(sight.quota),
      Paused: notPaused,
    },
  };
}

interface Standing {
  readonly sight: Sight;
  readonly redis: ComponentState;
  readonly server: ComponentState;
  readonly state: PhaseState;
}

function readiness({ sight, redis, server, state }: Standing): Told<"Ready"> {
  const { failure, error, policies } = sight;
  const not = (reason: Reason<"Ready">, message: string): Told<"Ready"> => ({ status: false, reason, message });
  if (failure !== undefined) return not(failure.reason, failure.message);
  if (error !== undefined) return not("ReconcileError", error);
  if (policies.is === "failed") return not("ReconcileError", policies.message);
  const { message } = state;
  switch (state.phase) {
    case "Running":
      return { status: true, reason: "TenantReady", message: "Tenant is ready" };
    case "Hibernated":
      return not("Hibernated", message);
    case "Pending":
    case "Provisioning":
      return not("Provisioning", message);
    case "Failed":
      return not(
        [redis, server].some(({ reason }) => reason === "ResourceConflict") ? "ResourceConflict" : "Degraded",
        message,
      );
    case "Degraded":
    case "Terminating":
      return not("Degraded", message);
  }
}

function componentCondition({ phase, reason, message }: ComponentState): ConditionValue {
  return told({ status: phase === "Running", reason, message });
}

function policiesCondition(policies: Sight["policies"]): Told<"NetworkPoliciesReady"> {
  switch (policies.is) {
    case "applied":
      return { status: true, reason: "Applied", message: "The network policies are applied" };
    case "disabled":
      return { status: true, reason: "Disabled", message: "Network policies are switched off" };
    case "failed":
      return { status: false, reason: "ApplyFailed", message: policies.message };
  }
}

/** The phase with its sentence, since when it has been so, and for which generation. */
export function phaseFields(
  { phase, message }: PhaseState,
  { before, generation, now }: Occasion,
): StatusPlan["fields"] {
  return {
    phase,
    message: cutText(message, messageLengthMax),
    observedGeneration: generation,
    lastTransitionTime: sinceWhen(phase, before, now),
  };
}

function componentStatus(
  { phase, message, reason, readyReplicas, totalReplicas }: ComponentState,
  before: DeepReadonly<ComponentStatus> | undefined,
  now: number,
): ComponentStatus {
  return {
    phase,
    message: cutText(message, messageLengthMax),
    reason,
    readyReplicas,
    totalReplicas,
    lastTransitionTime: sinceWhen(phase, before, now),
  };
}

function sinceWhen(
  phase: Phase,
  before: { readonly phase?: string | undefined; readonly lastTransitionTime?: string | undefined } | undefined,
  now: number,
): string {
  return before?.phase === phase && before.lastTransitionTime !== undefined
    ? before.lastTransitionTime
    : formatTime(now);
}

/** A condition whose message is short enough. */
export function told<C extends ConditionType>({ status, reason, message }: Told<C>): ConditionValue {
  return { status, reason, message: cutText(message, messageLengthMax) };
}
