import type { DeepReadonly } from "homeostat";
import { cutText } from "@homeostat/core";
import type { Secret } from "@homeostat/kubernetes/core/v1";
import { annotations } from "../api/identity.ts";
import { readCredentials, secretText } from "../build/redis-secret.ts";
import type { ResolvedRedis } from "../build/resolve.ts";
import { type Credentials, newPassword, passwordProblem, type SecureBytes } from "../build/credentials.ts";
import { nextRotation, type RolloutState } from "./rotation.ts";

type Security = NonNullable<ResolvedRedis["security"]>;

const tokenLengthMax = 256;

/** The content of the Redis Secret, or why it can have none yet. */
export type CredentialsDecision =
  | {
      readonly state: "known";
      readonly credentials: Credentials;
      readonly event: "SecretRecreated" | "PasswordRotationStarted" | "PasswordRotated" | undefined;
      readonly isStalled: boolean;
      /** Problem of the Secret of `security.authSecret`; undefined if there is none. */
      readonly problem: string | undefined;
    }
  /** No password is known. `problem` says why `security.authSecret` gives none; undefined when the Secrets could not be read. */
  | { readonly state: "waiting"; readonly problem: string | undefined };

export interface CredentialsInput {
  /** The operator's own Secret. */
  readonly own: DeepReadonly<Secret> | undefined;
  /** The Secret of `security.authSecret`. */
  readonly given: DeepReadonly<Secret> | undefined;
  readonly security: Security;
  /** The annotation that requests a rotation. */
  readonly token: string | undefined;
  /** True if Redis already exists: then a missing Secret was deleted. */
  readonly hadRedis: boolean;
  readonly rolloutOf: (credentials: Credentials) => RolloutState;
  readonly nowMs: number;
  readonly secureBytes: SecureBytes;
}

/**
 * Decides the content of the Redis Secret.
 *
 * While `security.authSecret` cannot be used, the current password stays, and a rotation that has started is completed.
 */
export function decideCredentials(input: CredentialsInput): CredentialsDecision {
  const { own, given, security, token, hadRedis, rolloutOf, nowMs, secureBytes } = input;
  const requested = token === undefined || token === "" ? undefined : cutText(token, tokenLengthMax);
  const { password, problem } = givenPassword(security.authSecret, given);
  const current = own === undefined ? undefined : readCredentials(own, nowMs);
  if (current !== undefined) {
    // While the given password is unavailable, the operator must not replace it by a generated one.
    const mayRotate = problem === undefined;
    const rotation = nextRotation({
      credentials: current,
      request: {
        token: mayRotate ? requested : undefined,
        intervalMs: mayRotate ? security.rotationIntervalMs : undefined,
        given: password,
      },
      rollout: rolloutOf(current),
      nowMs,
      makePassword: () => newPassword(secureBytes),
    });
    return { state: "known", problem, ...rotation };
  }
  if (problem !== undefined) return { state: "waiting", problem };
  return {
    state: "known",
    credentials: {
      step: "done",
      password: password ?? newPassword(secureBytes),
      token: requested,
      stepAtMs: nowMs,
      rotatedAtMs: nowMs,
    },
    event: own !== undefined || hadRedis ? "SecretRecreated" : undefined,
    isStalled: false,
    problem: undefined,
  };
}

/** Returns the password of `security.authSecret`, or the problem of that Secret; neither if it is not set. */
function givenPassword(
  authSecret: Security["authSecret"],
  secret: DeepReadonly<Secret> | undefined,
): { readonly password?: string; readonly problem?: string } {
  if (authSecret === undefined) return {};
  const { namespace, name, key, sharedWith } = authSecret;
  const title = `Secret ${namespace}/${name}`;
  if (sharedWith !== undefined && !isShared(secret, sharedWith)) return { problem: notShared(title, sharedWith) };
  if (secret === undefined) return { problem: `${title} with the Redis password does not exist` };
  const password = secretText(secret, key);
  if (password === undefined) return { problem: `${title} with the Redis password has no key "${key}"` };
  const problem = passwordProblem(password);
  return problem === undefined ? { password } : { problem: `${title}, key "${key}": ${problem}` };
}

/**
 * Reports whether a Secret outside the tenant's namespace consents to being copied into it.
 *
 * The author of a tenant may be unable to read Secrets of the operator's namespace, so the operator must not read them on
 * the author's behalf. Consent is checked at each reconcile: a password that was copied earlier cannot be taken back, but
 * without consent no later one follows.
 */
function isShared(secret: DeepReadonly<Secret> | undefined, tenant: string): boolean {
  const notes = secret?.metadata.annotations ?? {};
  const text = Object.hasOwn(notes, annotations.sharedWithTenants) ? notes[annotations.sharedWithTenants] : undefined;
  return (text ?? "").split(",").some((name) => name.trim() === tenant);
}

/** Returns the same message for a missing Secret and for one without consent, so that it does not reveal which Secrets exist. */
function notShared(title: string, tenant: string): string {
  const consent = `${annotations.sharedWithTenants} that names ${tenant}`;
  return `${title} with the Redis password does not exist or is not shared with this tenant; ask an administrator for a Secret with the annotation ${consent}`;
}
