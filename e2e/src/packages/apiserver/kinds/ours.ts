// Runs our defaulting and validation on an object that the real server also receives.

import {
  admitPod,
  applyKindDefaults,
  builtInByKind,
  decodeSecretStrings,
  prepareForCreate,
  protectStorage,
} from "@homeostat/apiserver/internal";
import type { CompleteObject } from "./complete-objects.ts";

/** Returns the object as our server would store it; `uid` is the one that the real server assigned. */
export function created(
  { group, version, kind }: CompleteObject,
  body: Record<string, unknown>,
  uid: string,
): Record<string, unknown> {
  const resource = builtInByKind(group, version, kind);
  if (resource === undefined) throw new Error(`${kind} is not a built-in kind`);
  const copy = structuredClone(body);
  if (kind === "Secret") decodeSecretStrings(copy);
  const object = applyKindDefaults(group, version, kind, copy);
  prepareForCreate(resource, object, { uid, user: administrator, nowMs: Date.now() });
  if (kind === "Pod") admitPod(object);
  if (kind === "PersistentVolume" || kind === "PersistentVolumeClaim") protectStorage(object, kind);
  return object;
}

/** The user of requests to both servers, as far as responses show it. */
const administrator = { name: "admin", uid: "", groups: ["system:masters", "system:authenticated"], extra: {} };

const serverMetadata = new Set([
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "managedFields",
  "namespace",
  "selfLink",
]);
/** Values that only a running registry knows. */
const allocated = new Set([
  "clusterIP",
  "clusterIPs",
  "ipFamilies",
  "ipFamilyPolicy",
  "nodePort",
  "healthCheckNodePort",
  "lastPhaseTransitionTime",
]);

/** Returns an object without fields that a registry adds and without empty fields, with sorted keys. */
export function comparable(value: unknown, isRoot = true): unknown {
  if (Array.isArray(value)) return value.map((each: unknown) => comparable(each, false));
  if (typeof value !== "object" || value === null) return value;
  const made: Record<string, unknown> = {};
  for (const [key, each] of Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    if (allocated.has(key)) continue;
    let inside = comparable(each, false);
    if (isRoot && key === "metadata" && typeof inside === "object" && inside !== null) {
      inside = Object.fromEntries(Object.entries(inside).filter(([name]) => !serverMetadata.has(name)));
    }
    if (inside === null || inside === undefined) continue;
    if (typeof inside === "object" && Object.keys(inside).length === 0) continue;
    made[key] = inside;
  }
  return made;
}

/** Returns the differences of two values, one line each. */
export function differences(ours: unknown, theirs: unknown, path = ""): string[] {
  if (JSON.stringify(ours) === JSON.stringify(theirs)) return [];
  // Go writes some fields of empty structs; that is an effect of the encoder, not a default.
  if (path === ".status" && ours === undefined && Object.values(theirs as object).every((each) => each === 0))
    return [];
  if (path === ".value" && ours === undefined && theirs === 0) return [];
  if (/httpHeaders\.\d+\.value$/.test(path) && ours === undefined && theirs === "") return [];
  if (path.endsWith(".divisor") && ours === undefined && theirs === "0") return [];
  const isPair =
    [ours, theirs].every((each) => typeof each === "object" && each !== null) &&
    Array.isArray(ours) === Array.isArray(theirs);
  if (!isPair)
    return [`${path}: ours ${JSON.stringify(ours)?.slice(0, 200)}, theirs ${JSON.stringify(theirs)?.slice(0, 200)}`];
  const keys = new Set([...Object.keys(ours as object), ...Object.keys(theirs as object)]);
  return [...keys].flatMap((key) =>
    differences(Reflect.get(ours as object, key), Reflect.get(theirs as object, key), `${path}.${key}`),
  );
}
