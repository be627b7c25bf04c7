// Checks the images of forks and hooks against policies.

import type { DeepReadonly } from "@homeostat/core";
import { matchesGlob } from "../api/glob.ts";
import type { ProvisionHook, ServiceEntry } from "../api/sandbox.ts";
import type { ObjectProblem } from "../validation/problem.ts";
import type { EffectivePolicy } from "./effective-policy.ts";
import { isUnder, touchedFields } from "./patched-fields.ts";

const imageFields = ["containers", "initContainers", "ephemeralContainers"].map((list) => [
  "spec",
  "template",
  "spec",
  list,
  "*",
  "image",
]);

/**
 * Yields denials of images that an entry sets, in changes of containers and in patches. The images of the baseline are not
 * checked: they already run.
 */
export function* imageDenials(
  { containers = [], patches = [] }: DeepReadonly<ServiceEntry>,
  path: string,
  policy: EffectivePolicy,
): Iterable<ObjectProblem> {
  for (const [index, { image }] of containers.entries()) {
    yield* imageDenial(`${path}.containers[${index}].image`, image, policy);
  }
  for (const [index, patch] of patches.entries()) {
    for (const { pointer, value } of touchedFields(patch)) {
      const isImage = imageFields.some((field) => field.length === pointer.length && isUnder(pointer, field));
      if (isImage && typeof value === "string") yield* imageDenial(`${path}.patches[${index}].value`, value, policy);
    }
  }
}

/** Yields denials of the images of a provision hook. */
export function* hookImageDenials(
  hook: DeepReadonly<ProvisionHook>,
  path: string,
  policy: EffectivePolicy,
): Iterable<ObjectProblem> {
  yield* imageDenial(`${path}.create.image`, hook.create.image, policy);
  yield* imageDenial(`${path}.delete.image`, hook.delete?.image, policy);
}

function* imageDenial(
  path: string,
  image: string | undefined,
  { allowedImages, namespace }: EffectivePolicy,
): Iterable<ObjectProblem> {
  if (image === undefined || allowedImages === undefined || allowedImages.some((glob) => matchesGlob(glob, image)))
    return;
  const allowed = allowedImages.length === 0 ? "none" : allowedImages.slice(0, 5).join(", ");
  yield {
    path,
    code: "ImageNotAllowed",
    message: `${image} does not match allowedImages of the SandboxPolicies of namespace ${namespace} (${allowed}); use an image that does`,
    reason: "FieldValueForbidden",
  };
}
