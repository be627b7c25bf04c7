import type { DeepReadonly } from "homeostat";
import { cutText } from "@homeostat/core";
import type { Secret } from "@homeostat/kubernetes/core/v1";
import { readCredentials, secretText } from "../build/redis-secret.ts";
import type { ResolvedRedis } from "../build/resolve.ts";
import { type Credentials, newPassword, passwordProblem, type SecureBytes } from "./credentials.ts";
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
      /** What is wrong with the Secret that gives the password; undefined when nothing is. */
      readonly problem: string | undefined;
    }
  /** The Secret that should give the password does not, and there is no earlier password. */
  | { readonly state: "waiting"; readonly problem: string };

/**
 * Decides the content of the Redis Secret.
 *
 * While `security.authSecret` cannot be used, the current password stays, and a rotation that has begun is completed.
 */
export function decideCredentials({
  own,
  given,
  security,
  token,
  hadRedis,
  rolloutOf,
  nowMs,
  secureBytes,
}: {
  /** The operator's own Secret. */
  readonly own: DeepReadonly<Secret> | undefined;
  /** The Secret of `security.authSecret`. */
  readonly given: DeepReadonly<Secret> | undefined;
  readonly security: Security;
  /** The annotation that requests a rotation. */
  readonly token: string | undefined;
  /** Whether Redis already exists: then a missing Secret was lost. */
  readonly hadRedis: boolean;
  readonly rolloutOf: (credentials: Credentials) => RolloutState;
  readonly nowMs: number;
  readonly secureBytes: SecureBytes;
}): CredentialsDecision {
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

/** Returns the password of `security.authSecret`, or what is wrong with that Secret; neither when it is not set. */
function givenPassword(
  authSecret: Security["authSecret"],
  secret: DeepReadonly<Secret> | undefined,
): { readonly password?: string; readonly problem?: string } {
  if (authSecret === undefined) return {};
  const { namespace, name, key } = authSecret;
  const title = `Secret ${namespace}/${name}`;
  if (secret === undefined) return { problem: `${title} with the password of Redis does not exist` };
  const password = secretText(secret, key);
  if (password === undefined) return { problem: `${title} with the password of Redis has no key "${key}"` };
  const problem = passwordProblem(password);
  return problem === undefined ? { password } : { problem: `${title}, key "${key}": ${problem}` };
}
