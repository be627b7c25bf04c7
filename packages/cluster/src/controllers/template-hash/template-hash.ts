import type { DeepReadonly } from "@homeostat/core";
import type { PodTemplateSpec } from "@homeostat/kubernetes/core/v1";
import { fnv132, fnv1a32 } from "./fnv.ts";
import { printGo } from "./go-printing.ts";

/**
 * The value of the label `pod-template-hash`, byte for byte as Kubernetes 1.36 computes it.
 *
 * `collisionCount` is that of the Deployment's status, and counts only when it is there.
 */
export function templateHash(template: DeepReadonly<PodTemplateSpec>, collisionCount?: number): string {
  const text = new TextEncoder().encode(printGo("v1.PodTemplateSpec", template));
  if (collisionCount === undefined) return safeText(fnv1a32(text));
  const bytes = new Uint8Array(text.length + 8);
  bytes.set(text);
  new DataView(bytes.buffer).setUint32(text.length, collisionCount, true);
  return safeText(fnv1a32(bytes));
}

/** The hash in the name of a ControllerRevision: over its data as JSON, and a count of collisions. */
export function revisionHash(data: string, collisionCount: number): string {
  return safeText(fnv132(new TextEncoder().encode(`${data}${collisionCount}`)));
}

/** Letters and digits that make no words and are not easily misread. */
const alphabet = "bcdfghjklmnpqrstvwxz2456789";

/** The digits of a number, each in its letter. */
function safeText(hash: number): string {
  return String(hash).replaceAll(/\d/g, (digit) => alphabet[digit.charCodeAt(0) % alphabet.length] ?? "");
}
