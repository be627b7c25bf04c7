import { durationToMs, tryParseDuration } from "@homeostat/core";
import { recordIn, textIn } from "../health/fields.ts";
import { formatAge, formatUntil } from "./format.ts";

/** Returns what the spec and status of a tenant say about the password of its Redis. */
export function rotationTexts(
  { spec, status }: { readonly spec: unknown; readonly status: unknown },
  now: number,
): { readonly age: string; readonly next: string; readonly step: string } {
  const security = recordIn(recordIn(spec, "redis"), "security");
  const credentials = recordIn(status, "redisCredentials");
  const rotatedAt = textIn(credentials, "lastRotationTime");
  const step = textIn(credentials, "step");
  return {
    age: rotatedAt === "" ? "Never rotated" : `Rotated ${formatAge(rotatedAt, now)} ago`,
    next: nextRotation(security, { rotatedAt, step, now }),
    step: step === "" || step === "done" ? "" : `A rotation is in progress: step ${step}.`,
  };
}

function nextRotation(
  security: unknown,
  { rotatedAt, step, now }: { readonly rotatedAt: string; readonly step: string; readonly now: number },
): string {
  if (isFalse(security, "enabled")) return "The Redis has no password.";
  const secret = textIn(recordIn(security, "authSecret"), "name");
  if (secret !== "") return `The password changes with Secret ${secret}.`;
  if (step !== "" && step !== "done") return "";
  const interval = tryParseDuration(textIn(recordIn(security, "rotation"), "interval"));
  if (interval === undefined) return "No rotation is scheduled. Set spec.redis.security.rotation.interval.";
  const since = Date.parse(rotatedAt);
  if (Number.isNaN(since)) return "";
  return `Next rotation ${formatUntil(new Date(since + durationToMs(interval)).toISOString(), now)}`;
}

function isFalse(value: unknown, name: string): boolean {
  return typeof value === "object" && value !== null && Reflect.get(value, name) === false;
}
