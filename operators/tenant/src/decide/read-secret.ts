import { type DeepReadonly, parseTime } from "@homeostat/core";
import type { Secret } from "@homeostat/kubernetes/core/v1";
import { annotations } from "../api/identity.ts";
import { type Credentials, isRotationStep } from "./credentials.ts";
import { secretKeys } from "../build/redis-secret.ts";
import { passwordProblem } from "./password.ts";

/** A Secret as it is read. */
export type LiveSecret = DeepReadonly<Secret>;

/**
 * The credentials that a Secret of ours holds; undefined when it holds no usable password.
 *
 * A step whose previous password somebody has removed cannot be gone on with: it counts as done.
 */
export function readCredentials(secret: LiveSecret, nowMs: number): Credentials | undefined {
  const password = secretText(secret, secretKeys.password);
  if (password === undefined || passwordProblem(password) !== undefined) return undefined;
  const previous = secretText(secret, secretKeys.previousPassword);
  const step = annotation(secret, annotations.rotationStep) ?? "done";
  const token = annotation(secret, annotations.rotationToken);
  const rotatedAtMs = timeOf(annotation(secret, annotations.rotatedAt)) ?? nowMs;
  const stepAtMs = timeOf(annotation(secret, annotations.rotationStepAt)) ?? rotatedAtMs;
  const common = { password, token, stepAtMs, rotatedAtMs };
  if (!isRotationStep(step) || step === "done") return { ...common, step: "done" };
  if (step === "cleanup") return { ...common, step };
  const hasPrevious = previous !== undefined && passwordProblem(previous) === undefined;
  return hasPrevious ? { ...common, step, previous } : { ...common, step: "done" };
}

/** One text of a Secret; undefined when the Secret has no such key. */
export function secretText({ data = {} }: Pick<LiveSecret, "data">, key: string): string | undefined {
  const value = Object.hasOwn(data, key) ? data[key] : undefined;
  return value === undefined ? undefined : Buffer.from(value, "base64").toString("utf8");
}

function annotation({ metadata }: LiveSecret, key: string): string | undefined {
  const all = metadata.annotations ?? {};
  return Object.hasOwn(all, key) ? all[key] : undefined;
}

function timeOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  try {
    return parseTime(text);
  } catch {
    // Somebody has written something else there. Then the time is not known.
    return undefined;
  }
}
