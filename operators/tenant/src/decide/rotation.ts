import type { Credentials } from "./credentials.ts";

/** After this long in one step a change of the password is stalled. */
export const stalledAfterMs = 600_000;

/** What asks for another password. */
export interface RotationWish {
  /** The annotation by which people ask; undefined where there is none. */
  readonly token: string | undefined;
  /** How old a password may become; undefined for any age. */
  readonly intervalMs: number | undefined;
  /** The password from somebody's Secret, which must be the one; undefined where the operator makes it. */
  readonly given: string | undefined;
}

/** How far the pods are with what the Secret says now. */
export interface RotationView {
  /** Every pod of Redis was started with the users that the Secret has. */
  readonly isRedisRolled: boolean;
  /** Every replica was started with the password that clients should use. True where nothing is replicated. */
  readonly areReplicasRolled: boolean;
  /** Every pod of the server was started with the password that clients should use. */
  readonly isServerRolled: boolean;
  /** The tenant sleeps, and no pod of it is left. */
  readonly isAsleep: boolean;
}

/** What is to be in the Secret now, and what is to be told. */
export interface Rotation {
  readonly credentials: Credentials;
  /** What has just happened. */
  readonly event: "PasswordRotationStarted" | "PasswordRotated" | undefined;
  /** Whether a step takes too long. Nothing needs to be taken back: every client has a password that is accepted. */
  readonly isStalled: boolean;
}

/**
 * Where the change of a password stands after this look at the pods: at most one step further.
 *
 * Each step waits for what the next one takes for granted: before clients use a password every Redis accepts it, and
 * before a Redis forgets a password no client uses it. So a step can be left at any moment, and gone on with by anybody.
 */
export function nextRotation({
  credentials,
  wish,
  view,
  nowMs,
  makePassword,
}: {
  readonly credentials: Credentials;
  readonly wish: RotationWish;
  readonly view: RotationView;
  readonly nowMs: number;
  readonly makePassword: () => string;
}): Rotation {
  const { step } = credentials;
  // Nobody holds the previous password, so that there is nothing to wait for.
  if (step !== "done" && view.isAsleep) return finished(credentials, nowMs);
  switch (step) {
    case "done": {
      if (!isAsked(credentials, wish, nowMs)) return same(credentials, nowMs);
      const { token = credentials.token } = wish;
      const started: Credentials = {
        ...credentials,
        step: "overlap",
        password: wish.given ?? makePassword(),
        previous: credentials.password,
        token,
        stepAtMs: nowMs,
      };
      return view.isAsleep
        ? finished(started, nowMs)
        : { credentials: started, event: "PasswordRotationStarted", isStalled: false };
    }
    case "overlap":
      if (!view.isRedisRolled) return same(credentials, nowMs);
      return { credentials: { ...credentials, step: "clients", stepAtMs: nowMs }, event: undefined, isStalled: false };
    case "clients": {
      if (!view.isServerRolled || !view.areReplicasRolled) return same(credentials, nowMs);
      const { previous: _forgotten, ...rest } = credentials;
      return { credentials: { ...rest, step: "cleanup", stepAtMs: nowMs }, event: undefined, isStalled: false };
    }
    case "cleanup":
      return view.isRedisRolled ? finished(credentials, nowMs) : same(credentials, nowMs);
  }
}

/** Whether somebody asks for another password. A password that is given is changed by who gives it, and by nothing else. */
function isAsked({ password, token, rotatedAtMs }: Credentials, wish: RotationWish, nowMs: number): boolean {
  if (wish.given !== undefined) return wish.given !== password;
  const isAskedByPerson = wish.token !== undefined && wish.token !== "" && wish.token !== token;
  return isAskedByPerson || (wish.intervalMs !== undefined && nowMs - rotatedAtMs >= wish.intervalMs);
}

function same(credentials: Credentials, nowMs: number): Rotation {
  const isStalled = credentials.step !== "done" && nowMs - credentials.stepAtMs > stalledAfterMs;
  return { credentials, event: undefined, isStalled };
}

function finished({ password, token }: Credentials, nowMs: number): Rotation {
  return {
    credentials: { step: "done", password, token, stepAtMs: nowMs, rotatedAtMs: nowMs },
    event: "PasswordRotated",
    isStalled: false,
  };
}
