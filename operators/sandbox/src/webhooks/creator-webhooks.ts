// Records the user who created an object. Quotas count objects per creator, preview tokens are issued to the creator, and the tunnel server reviews
// the creator's permissions.

import { type AdmissionContext, type AdmissionWebhook, mutatingWebhook } from "homeostat";
import type { DeepReadonly, KubeObject, ResourceType } from "@homeostat/core";
import { forbiddenField } from "@homeostat/schema";
import { formatCreator } from "../api/created-by.ts";
import { annotations } from "../api/identity.ts";
import { LocalWorkload } from "../api/local-workload.ts";
import { PreviewLink } from "../api/preview-link.ts";
import { RouteGroup } from "../api/route-group.ts";
import { Sandbox } from "../api/sandbox.ts";
import { type ObjectProblem, problemOf } from "../validation/problem.ts";

const key = annotations.createdBy;

/** Builds the webhooks that write the annotation on creation, and restore it when an update omits it. */
export function creatorWebhooks(): AdmissionWebhook[] {
  return [
    creatorWebhook(Sandbox),
    creatorWebhook(RouteGroup),
    creatorWebhook(LocalWorkload),
    creatorWebhook(PreviewLink),
  ];
}

function creatorWebhook<T extends KubeObject>(type: ResourceType<T>): AdmissionWebhook {
  return mutatingWebhook({
    for: type,
    mutate: (object, old, context) => {
      const value = annotationFor(object, old, context);
      const present = object.metadata.annotations?.[key];
      if (value === undefined || value === present) return undefined;
      return {
        ...object,
        metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, [key]: value } },
      };
    },
  });
}

/**
 * Returns the value that the annotation must have: the creator, regardless of the value in the request. If an update omits the annotation, as with
 * `kubectl replace`, it is kept; {@link creatorProblems} refuses an update that changes it.
 */
function annotationFor(
  object: KubeObject,
  old: DeepReadonly<KubeObject> | undefined,
  { user }: AdmissionContext,
): string | undefined {
  if (old === undefined) return formatCreator({ user: user.username, groups: user.groups });
  return object.metadata.annotations?.[key] ?? old.metadata.annotations?.[key];
}

/** Returns a problem if an update changes the recorded creator. */
export function creatorProblems(
  object: DeepReadonly<KubeObject>,
  old: DeepReadonly<KubeObject> | undefined,
): ObjectProblem[] {
  if (old === undefined || object.metadata.annotations?.[key] === old.metadata.annotations?.[key]) return [];
  const detail = "records the user who created the object and cannot be changed; remove it from the request";
  return [problemOf("CreatorChanged", forbiddenField(`metadata.annotations[${key}]`, detail))];
}
