import type { Credentials } from "../build/credentials.ts";

/** A rotation that stays in one step for longer than this is stalled. */
export const stalledAfterMs = 600_000;

/** Triggers of a rotation. */
export interface RotationRequest {
  /** The annotation that requests a rotation; undefined when it is not set. */
  readonly token: string | undefined;
  /** The maximum age of a password; undefined for no limit. */
  readonly intervalMs: number | undefined;
  /** The password of `security.authSecret`; undefined when the operator generates passwords. */
  readonly given: string | undefined;
}

/** Progress of the rollout of the Secret's current content to the pods. */
export interface RolloutState {
  /** Every Redis pod was started with the current ACL. */
  readonly isRedisRolled: boolean;
  /** Every replica was started with the clients' password. True without replication. */
  readonly areReplicasRolled: boolean;
  /** Every server pod was started with the clients' password. */
  readonly isServerRolled: boolean;
  /** The tenant is hibernated and has no pods left. */
  readonly isHibernated: boolean;
}

/** The credentials to write, and the event to report. */
export interface Rotation {
  readonly credentials: Credentials;
  readonly event: "PasswordRotationStarted" | "PasswordRotated" | undefined;
  /** A stalled rotation needs no rollback: every client has an accepted password. */
  readonly isStalled: boolean;
}

/**
 * Advances a rotation by at most one step.
 *
 * Each step waits for the precondition of the next one: every Redis pod accepts a password before clients use it, and no client
 * uses a password any more when Redis stops accepting it. The operator can therefore crash in any step, and another replica
 * continues.
 */
export function nextRotation({
  credentials,
  request,
  rollout,
  nowMs,
  makePassword,
}: {
  readonly credentials: Credentials;
  readonly request: RotationRequest;
  readonly rollout: RolloutState;
  readonly nowMs: number;
  readonly makePassword: () => string;
}): Rotation {
  const { step } = credentials;
  const advance = (next: Credentials, event?: "PasswordRotationStarted"): Rotation => ({
    credentials: next,
    event,
    isStalled: false,
  });
  // Without pods nothing holds the previous password, so there is nothing to wait for.
  if (step !== "done" && rollout.isHibernated) return complete(credentials, nowMs);
  switch (step) {
    case "done": {
      if (!isRequested(credentials, request, nowMs)) return wait(credentials, nowMs);
      const started: Credentials = {
        ...credentials,
        step: "overlap",
        password: request.given ?? makePassword(),
        previous: credentials.password,
        token: request.token ?? credentials.token,
        stepAtMs: nowMs,
      };
      return rollout.isHibernated ? complete(started, nowMs) : advance(started, "PasswordRotationStarted");
    }
    case "overlap":
      if (!rollout.isRedisRolled) return wait(credentials, nowMs);
      return advance({ ...credentials, step: "clients", stepAtMs: nowMs });
    case "clients": {
      if (!rollout.isServerRolled || !rollout.areReplicasRolled) return wait(credentials, nowMs);
      const { previous: _forgotten, ...rest } = credentials;
      return advance({ ...rest, step: "cleanup", stepAtMs: nowMs });
    }
    case "cleanup":
      return rollout.isRedisRolled ? complete(credentials, nowMs) : wait(credentials, nowMs);
  }
}

/** Reports whether a rotation is requested. A password from `security.authSecret` changes only with that Secret. */
function isRequested({ password, token, rotatedAtMs }: Credentials, request: RotationRequest, nowMs: number): boolean {
  if (request.given !== undefined) return request.given !== password;
  const isNewToken = request.token !== undefined && request.token !== "" && request.token !== token;
  return isNewToken || (request.intervalMs !== undefined && nowMs - rotatedAtMs >= request.intervalMs);
}

function wait(credentials: Credentials, nowMs: number): Rotation {
  const isStalled = credentials.step !== "done" && nowMs - credentials.stepAtMs > stalledAfterMs;
  return { credentials, event: undefined, isStalled };
}

function complete({ password, token }: Credentials, nowMs: number): Rotation {
  return {
    credentials: { step: "done", password, token, stepAtMs: nowMs, rotatedAtMs: nowMs },
    event: "PasswordRotated",
    isStalled: false,
  };
}
