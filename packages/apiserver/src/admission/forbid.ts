import { textAt } from "../values/fields.ts";
import { forbiddenStatus } from "../status/refusals.ts";
import { StatusError } from "../status/status.ts";
import type { AdmissionRequest } from "./admission.ts";

/** Returns the 403 of an admission step. It names the object, or its generateName if there is no name yet. */
export function forbid(request: AdmissionRequest, why: string): StatusError {
  const { group, plural: resource } = request.kind.resource;
  return new StatusError(forbiddenStatus({ group, resource }, displayName(request), why));
}

/** Returns the object name for the message, or `Unknown`. */
function displayName({ name, object }: AdmissionRequest): string {
  return (
    [name, textAt(object, "metadata", "name"), textAt(object, "metadata", "generateName"), "Unknown"].find(
      (text) => text !== "",
    ) ?? ""
  );
}

/**
 * Reports whether a request is for a resource, given as `pods` or `deployments.apps`, and not for one of its
 * subresources.
 */
export function isAbout(request: AdmissionRequest, resource: string): boolean {
  return request.subresource === "" && resourceOf(request) === resource;
}

/** Returns the resource of a request as messages show it: `pods` or `deployments.apps`. */
export function resourceOf({ kind: { resource } }: AdmissionRequest): string {
  return resource.group === "" ? resource.plural : `${resource.plural}.${resource.group}`;
}

/** Joins messages as the real server does: a single one unchanged, several in brackets, without duplicates. */
export function joinMessages(messages: readonly string[]): string {
  const texts = [...new Set(messages)];
  const [only = ""] = texts;
  return texts.length === 1 ? only : `[${texts.join(", ")}]`;
}
