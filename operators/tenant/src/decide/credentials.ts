import type { RotationStep } from "../api/tenant.ts";

interface Common {
  readonly password: string;
  /** The last value of the annotation by which people ask for a new password. */
  readonly token: string | undefined;
  /** When the step began, in milliseconds. */
  readonly stepAtMs: number;
  /** When the password was last changed to the end, in milliseconds. */
  readonly rotatedAtMs: number;
}

/**
 * The passwords of a Redis and how far the change from one to the next is.
 *
 * Everything else in the Secret follows from this: what clients use, what Redis accepts.
 */
export type Credentials =
  /** One password, which everybody uses. Next: `overlap`, when somebody asks. */
  | (Common & { readonly step: "done" })
  /** Redis learns the new password; clients still use the previous one. Next: `clients`, when every Redis knows both. */
  | (Common & { readonly step: "overlap"; readonly previous: string })
  /** Clients change to the new password. Next: `cleanup`, when no client uses the previous one. */
  | (Common & { readonly step: "clients"; readonly previous: string })
  /** Redis forgets the previous password. Next: `done`, when every Redis has. */
  | (Common & { readonly step: "cleanup" });

/** The password that clients should use now. */
export function clientPassword(credentials: Credentials): string {
  return credentials.step === "overlap" ? credentials.previous : credentials.password;
}

/** The passwords that Redis accepts once it has read its users: the newest first. */
export function acceptedPasswords(credentials: Credentials): readonly string[] {
  return "previous" in credentials ? [credentials.password, credentials.previous] : [credentials.password];
}

/** Whether a text names a step. */
export function isRotationStep(text: string): text is RotationStep {
  return text === "overlap" || text === "clients" || text === "cleanup" || text === "done";
}

/** Credentials with one password and nothing under way. */
export function settled({
  password,
  token,
  nowMs,
}: {
  readonly password: string;
  readonly token: string | undefined;
  readonly nowMs: number;
}): Credentials {
  return { step: "done", password, token, stepAtMs: nowMs, rotatedAtMs: nowMs };
}
