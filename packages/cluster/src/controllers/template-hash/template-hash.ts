import type { DeepReadonly } from "@homeostat/core";
import type { PodTemplateSpec } from "@homeostat/kubernetes/core/v1";
import { fnv132, fnv1a32 } from "./fnv.ts";
import { printGo } from "./go-printing.ts";

/**
 * Returns the value of the label `pod-template-hash`, byte for byte as Kubernetes 1.36 computes it (`ComputeHash`).
 *
 * `collisionCount` is that of the Deployment's status; it is only hashed when it is defined.
 */
export function templateHash(template: DeepReadonly<PodTemplateSpec>, collisionCount?: number): string {
  const text = new TextEncoder().encode(printGo("v1.PodTemplateSpec", template));
  if (collisionCount === undefined) return safeText(fnv1a32(text));
  const bytes = new Uint8Array(text.length + 8);
  bytes.set(text);
  new DataView(bytes.buffer).setUint32(text.length, collisionCount, true);
  return safeText(fnv1a32(bytes));
}

/** Returns the hash in the name of a ControllerRevision: of its data as JSON and the collision count. */
export function revisionHash(data: string, collisionCount: number): string {
  return safeText(fnv132(new TextEncoder().encode(`${data}${collisionCount}`)));
}

/** Alphabet without vowels and easily confused characters (`SafeEncodeString` in apimachinery). */
const alphabet = "bcdfghjklmnpqrstvwxz2456789";

/** Encodes each decimal digit of a hash as a character of the alphabet. */
function safeText(hash: number): string {
  return String(hash).replaceAll(/\d/g, (digit) => alphabet[digit.charCodeAt(0) % alphabet.length] ?? "");
}
