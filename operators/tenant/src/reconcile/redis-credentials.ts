import { asStored, formatTime, type Stored } from "@homeostat/core";
import { Secret } from "@homeostat/kubernetes/core/v1";
import { annotations } from "../api/identity.ts";
import { names } from "../api/names.ts";
import type { RedisCredentials } from "../api/tenant.ts";
import type { Auth } from "../build/situation.ts";
import { type CredentialsDecision, decideCredentials } from "../decide/decide-credentials.ts";
import { rotationView } from "../observe/rollout.ts";
import { isOwned } from "../ownership/owned.ts";
import type { Wanted } from "../build/resolved-tenant.ts";
import { events } from "./events.ts";
import type { Pass } from "./pass.ts";
import type { World } from "../observe/observe.ts";

/** What is known about the password of Redis, and what it was decided from. */
export interface Login {
  readonly auth: Auth;
  /** Our Secret, as it was read; undefined when there is none. */
  readonly own: Stored<Secret> | undefined;
  readonly decision: CredentialsDecision | undefined;
}

/** Reads the Secrets and decides what ours is to hold: sections 9.2 and 9.6. */
export async function lookAtSecrets(pass: Pass, wanted: Wanted, world: World): Promise<Login> {
  const { security } = wanted.redis;
  const own = await read(pass, { namespace: wanted.namespace, name: names.redisAuth(wanted.name) });
  if (security === undefined) return { auth: { at: "off" }, own, decision: undefined };
  const given = security.authSecret === undefined ? undefined : await read(pass, security.authSecret);
  const decision = decideCredentials({
    // What is somebody else's says nothing about ours; that it is in the way shows when ours is applied.
    own: own !== undefined && isOwned(own, pass.tenant) ? own : undefined,
    given,
    security,
    token: pass.tenant.metadata.annotations?.[annotations.rotate],
    hadRedis: world.redis !== undefined,
    viewOf: (credentials) => rotationView(wanted, credentials, world),
    nowMs: pass.now,
    secureBytes: pass.parts.secureBytes,
  });
  const auth: Auth = decision.at === "known" ? { at: "known", credentials: decision.credentials } : { at: "waiting" };
  return { auth, own, decision };
}

async function read(
  { context: { client, signal } }: Pass,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<Stored<Secret> | undefined> {
  const found = await client.get(Secret, { namespace, name }, { signal });
  return found === undefined ? undefined : asStored(found);
}

/** Tells of what was decided. To be called once the Secret is written. */
export function tellOfLogin(pass: Pass, { decision }: Login): void {
  if (decision === undefined) return;
  if (decision.problem !== undefined) pass.once(events.secretNotFound(decision.problem));
  if (decision.at === "waiting") return;
  if (decision.event === "SecretRecreated") pass.event(events.secretRecreated);
  if (decision.event === "PasswordRotationStarted") pass.event(events.rotationStarted);
  if (decision.event === "PasswordRotated") pass.event(events.rotated);
  if (decision.isStalled) pass.once(events.rotationStalled(decision.credentials.step));
}

/** What the status says about the password. */
export function credentialsStatus({ auth }: Login): RedisCredentials | undefined {
  if (auth.at !== "known") return undefined;
  const { step, token, rotatedAtMs } = auth.credentials;
  return { step, lastRotationTime: formatTime(rotatedAtMs), ...(token === undefined ? {} : { token }) };
}
