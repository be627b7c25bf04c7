import { asStored, formatTime, type Stored } from "@homeostat/core";
import { Secret } from "@homeostat/kubernetes/core/v1";
import { annotations } from "../api/identity.ts";
import { names } from "../api/names.ts";
import type { RedisCredentials } from "../api/tenant.ts";
import type { RedisAuth } from "../build/desired-children.ts";
import type { ResolvedTenant } from "../build/resolve.ts";
import { type CredentialsDecision, decideCredentials } from "../decide/decide-credentials.ts";
import type { Observed } from "../observe/observe.ts";
import { rolloutState } from "../observe/workloads.ts";
import { events } from "./events.ts";
import type { TenantContext } from "./tenant-context.ts";

/** The password of Redis, and the decision it comes from. */
export interface RedisLogin {
  readonly auth: RedisAuth;
  /** The operator's Secret as it was read; undefined when it does not exist. */
  readonly secret: Stored<Secret> | undefined;
  readonly decision: CredentialsDecision | undefined;
}

/** Reads the Secrets by name, never by list, and decides what the operator's own Secret contains. */
export async function resolveLogin(
  context: TenantContext,
  resolved: ResolvedTenant,
  observed: Observed,
): Promise<RedisLogin> {
  const { security } = resolved.redis;
  const secret = await read(context, { namespace: resolved.namespace, name: names.redisAuth(resolved.name) });
  if (security === undefined) return { auth: { state: "disabled" }, secret, decision: undefined };
  const given = security.authSecret === undefined ? undefined : await read(context, security.authSecret);
  const decision = decideCredentials({
    // A Secret that is not owned has no credentials of ours. Applying ours then reports the conflict.
    own: secret !== undefined && context.runtime.managed.owns(secret) ? secret : undefined,
    given,
    security,
    token: context.tenant.metadata.annotations?.[annotations.rotate],
    hadRedis: observed.redis !== undefined,
    rolloutOf: (credentials) => rolloutState(resolved, credentials, observed),
    nowMs: context.now,
    secureBytes: context.dependencies.secureBytes,
  });
  const auth: RedisAuth =
    decision.state === "known" ? { state: "known", credentials: decision.credentials } : { state: "waiting" };
  return { auth, secret, decision };
}

async function read(
  { runtime: { client, signal } }: TenantContext,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<Stored<Secret> | undefined> {
  const found = await client.get(Secret, { namespace, name }, { signal });
  return found === undefined ? undefined : asStored(found);
}

/** Records the events of a decision, once the Secret is written. */
export function reportLogin(context: TenantContext, { decision }: RedisLogin): void {
  if (decision === undefined) return;
  if (decision.problem !== undefined) context.eventOnce(events.secretNotFound(decision.problem));
  if (decision.state === "waiting") return;
  if (decision.event === "SecretRecreated") context.event(events.secretRecreated);
  if (decision.event === "PasswordRotationStarted") context.event(events.rotationStarted);
  if (decision.event === "PasswordRotated") context.event(events.rotated);
  if (decision.isStalled) context.eventOnce(events.rotationStalled(decision.credentials.step));
}

export function credentialsStatus({ auth }: RedisLogin): RedisCredentials | undefined {
  if (auth.state !== "known") return undefined;
  const { step, token, rotatedAtMs } = auth.credentials;
  return { step, lastRotationTime: formatTime(rotatedAtMs), ...(token === undefined ? {} : { token }) };
}
