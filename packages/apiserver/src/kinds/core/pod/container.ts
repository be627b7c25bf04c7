import type { JsonRecord } from "@homeostat/core";
import { badRequestStatus } from "../../../status/refusals.ts";
import { StatusError } from "../../../status/status.ts";
import { listAt, textAt } from "../../../values/fields.ts";

/** Returns the requested container, or the only one of the pod. Throws a `StatusError` (400) when it is unknown or ambiguous. */
export function containerOf(pod: JsonRecord, wanted: string): string {
  const name = textAt(pod, "metadata", "name");
  const all = ["initContainers", "containers", "ephemeralContainers"].flatMap((field) =>
    listAt(pod, "spec", field).map((container) => textAt(container, "name")),
  );
  if (wanted !== "") {
    if (all.includes(wanted)) return wanted;
    throw new StatusError(badRequestStatus(`container ${wanted} is not valid for pod ${name}`));
  }
  const own = listAt(pod, "spec", "containers");
  if (own.length === 1) return textAt(own[0], "name");
  const choice = own.length === 0 ? "" : `, choose one of: [${all.join(" ")}]`;
  throw new StatusError(badRequestStatus(`a container name must be specified for pod ${name}${choice}`));
}
