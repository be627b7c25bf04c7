import { cutText } from "@homeostat/core";
import type { WantedRedisSecurity } from "../build/resolved-tenant.ts";
import { type Credentials, settled } from "./credentials.ts";
import { newPassword, passwordProblem, type SecureBytes } from "./password.ts";
import { type LiveSecret, readCredentials, secretText } from "./read-secret.ts";
import { nextRotation, type RotationView } from "./rotation.ts";

const tokenLengthMax = 256;

/** What the Secret of a tenant's Redis is to hold, or why it can hold nothing yet. */
export type CredentialsDecision =
  | {
      readonly at: "known";
      readonly credentials: Credentials;
      readonly event: "SecretRecreated" | "PasswordRotationStarted" | "PasswordRotated" | undefined;
      /** Whether a change of the password takes too long. */
      readonly isStalled: boolean;
      /** What is wrong with the Secret that the password should come from; undefined when nothing is. */
      readonly problem: string | undefined;
    }
  /** The password should come from a Secret that does not give one, and there was none before. */
  | { readonly at: "waiting"; readonly problem: string };

/**
 * Decides what the Secret of Redis is to hold, from what it holds and what is wanted.
 *
 * Where somebody else's Secret gives the password and cannot be used, what we hold is kept, and a change that is under
 * way is brought to its end.
 */
export function decideCredentials({
  own,
  given,
  security,
  token,
  hadRedis,
  viewOf,
  nowMs,
  secureBytes,
}: {
  /** The Secret of ours; undefined when there is none. */
  readonly own: LiveSecret | undefined;
  /** The Secret that `security.authSecret` names; undefined when there is none. */
  readonly given: LiveSecret | undefined;
  readonly security: WantedRedisSecurity;
  /** The annotation by which people ask for a new password. */
  readonly token: string | undefined;
  /** Whether there is a Redis already: then a missing Secret is one that got lost. */
  readonly hadRedis: boolean;
  /** How far the pods are with these credentials. */
  readonly viewOf: (credentials: Credentials) => RotationView;
  readonly nowMs: number;
  readonly secureBytes: SecureBytes;
}): CredentialsDecision {
  const asked = token === undefined || token === "" ? undefined : cutText(token, tokenLengthMax);
  const source = givenPassword(security.authSecret, given);
  const held = own === undefined ? undefined : readCredentials(own, nowMs);
  if (held !== undefined) {
    const rotation = nextRotation({
      credentials: held,
      wish: {
        // What cannot be had must not be made up instead.
        token: source.problem === undefined ? asked : undefined,
        intervalMs: source.problem === undefined ? security.rotationIntervalMs : undefined,
        given: source.password,
      },
      view: viewOf(held),
      nowMs,
      makePassword: () => newPassword(secureBytes),
    });
    return { at: "known", problem: source.problem, ...rotation };
  }
  if (source.problem !== undefined) return { at: "waiting", problem: source.problem };
  return {
    at: "known",
    credentials: settled({ password: source.password ?? newPassword(secureBytes), token: asked, nowMs }),
    event: own !== undefined || hadRedis ? "SecretRecreated" : undefined,
    isStalled: false,
    problem: undefined,
  };
}

/** The password that a named Secret gives, or what is wrong with that Secret; neither when none is named. */
function givenPassword(
  wanted: WantedRedisSecurity["authSecret"],
  secret: LiveSecret | undefined,
): { readonly password?: string; readonly problem?: string } {
  if (wanted === undefined) return {};
  const name = `Secret ${wanted.namespace}/${wanted.name}`;
  if (secret === undefined) return { problem: `${name}, which should give the password of Redis, does not exist` };
  const password = secretText(secret, wanted.key);
  if (password === undefined)
    return { problem: `${name}, which should give the password of Redis, has no key "${wanted.key}"` };
  const problem = passwordProblem(password);
  return problem === undefined ? { password } : { problem: `${name}, key "${wanted.key}": ${problem}` };
}
