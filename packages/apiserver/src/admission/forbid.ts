import { textAt } from "../values/fields.ts";
import { forbiddenStatus } from "../status/refusals.ts";
import { StatusError } from "../status/status.ts";
import type { AdmissionRequest } from "./admission.ts";

/** The 403 of a step of admission: names the object, or what its name will begin with. */
export function forbid(request: AdmissionRequest, why: string): StatusError {
  const { group, plural: resource } = request.kind.resource;
  return new StatusError(forbiddenStatus({ group, resource }, admittedName(request), why));
}

/** What a refusal calls the object: `Unknown` when nobody can tell. */
function admittedName({ name, object }: AdmissionRequest): string {
  return (
    [name, textAt(object, "metadata", "name"), textAt(object, "metadata", "generateName"), "Unknown"].find(
      (text) => text !== "",
    ) ?? ""
  );
}

/** Whether a request is about a resource, given as `pods` or `deployments.apps`, and not about a part of it. */
export function isAbout(request: AdmissionRequest, resource: string): boolean {
  return request.subresource === "" && resourceOf(request) === resource;
}

/** The resource of a request as messages name it: `pods` or `deployments.apps`. */
export function resourceOf({ kind: { resource } }: AdmissionRequest): string {
  return resource.group === "" ? resource.plural : `${resource.plural}.${resource.group}`;
}

/** Several complaints as one, in the words of the real server: alone as it is, several in brackets. */
export function joinedComplaints(complaints: readonly string[]): string {
  const texts = [...new Set(complaints)];
  const [only = ""] = texts;
  return texts.length === 1 ? only : `[${texts.join(", ")}]`;
}
