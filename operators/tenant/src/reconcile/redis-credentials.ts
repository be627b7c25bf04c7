import type { Stored } from "homeostat";
import { asStored, formatTime } from "@homeostat/core";
import { Secret } from "@homeostat/kubernetes/core/v1";
import { annotations } from "../api/identity.ts";
import { names } from "../api/names.ts";
import type { RedisCredentials } from "../api/tenant.ts";
import type { ResolvedRedis } from "../build/resolve.ts";
import { type CredentialsDecision, decideCredentials } from "../decide/decide-credentials.ts";
import type { Observed } from "../observe/observe.ts";
import { rolloutState } from "../observe/workloads.ts";
import type { TypedCondition } from "../status/status.ts";
import { events } from "./events.ts";
import type { TenantContext } from "./tenant-context.ts";

export interface RedisLogin {
  readonly auth: CredentialsDecision | { readonly state: "disabled" };
  /** The operator's Secret as it was read; undefined when it does not exist. */
  readonly secret: Stored<Secret> | undefined;
}

/** Reads the Secrets by name, never by list, and decides what the operator's own Secret contains. */
export async function resolveLogin(context: TenantContext, observed: Observed): Promise<RedisLogin> {
  const { resolved, runtime } = context;
  const { security } = resolved.redis;
  const secret = await read(context, { namespace: resolved.namespace, name: names.redisAuth(resolved.name) });
  if (security === undefined) return { auth: { state: "disabled" }, secret };
  const given = security.authSecret && (await read(context, security.authSecret));
  const auth = decideCredentials({
    // The content of a foreign Secret is ignored. Applying the desired Secret then reports the conflict.
    own: secret !== undefined && runtime.managed.owns(secret) ? secret : undefined,
    given,
    security,
    token: context.tenant.metadata.annotations?.[annotations.rotate],
    hadRedis: observed.redis !== undefined,
    rolloutOf: (credentials) => rolloutState(resolved, credentials, observed),
    nowMs: context.now,
    secureBytes: context.dependencies.secureBytes,
  });
  return { auth, secret };
}

async function read(
  { runtime: { client, signal } }: TenantContext,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<Stored<Secret> | undefined> {
  const found = await client.get(Secret, { namespace, name }, { signal });
  return found && asStored(found);
}

/** Records the events of a decision, once the Secret is written. */
export function reportLogin(context: TenantContext, { auth }: RedisLogin): void {
  if (auth.state === "disabled") return;
  if (auth.problem !== undefined) context.eventOnce(events.secretNotFound(auth.problem));
  if (auth.state === "waiting") return;
  if (auth.event === "SecretRecreated") context.event(events.secretRecreated);
  if (auth.event === "PasswordRotationStarted") context.event(events.rotationStarted);
  if (auth.event === "PasswordRotated") context.event(events.rotated);
  if (auth.isStalled) context.eventOnce(events.rotationStalled(auth.credentials.step));
}

export function credentialsStatus({ auth }: RedisLogin): RedisCredentials | undefined {
  if (auth.state !== "known") return undefined;
  const { step, token, rotatedAtMs } = auth.credentials;
  return { step, lastRotationTime: formatTime(rotatedAtMs), ...(token === undefined ? {} : { token }) };
}

/**
 * Reports whether the password of Redis follows `security.authSecret`; undefined when the operator generates it.
 *
 * Redis keeps running with the last copied password while that Secret is missing or no longer shared, so no other condition
 * shows it.
 */
export function passwordSourceCondition(
  source: NonNullable<ResolvedRedis["security"]>["authSecret"],
  { auth }: RedisLogin,
): TypedCondition<"PasswordSynced"> | undefined {
  if (source === undefined || auth.state === "disabled") return undefined;
  if (auth.problem !== undefined) return { status: false, reason: "SecretNotFound", message: auth.problem };
  if (auth.state === "waiting") return undefined;
  const message = `The Redis password is copied from Secret ${source.namespace}/${source.name}`;
  return { status: true, reason: "Synced", message };
}
