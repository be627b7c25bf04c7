import type { Request } from "../transport/transport.ts";
import { call, type Caller, subjectOf } from "./call.ts";
import { type DeleteOptions, deletionOptions } from "./delete.ts";
import { isAbsence } from "./get.ts";
import { objectPath, type ObjectName, type PathResource } from "./paths.ts";
import { writeParts } from "./write.ts";

/** Where pods live. */
export const pods: PathResource = { group: "", version: "v1", plural: "pods", scope: "Namespaced" };

/** Deletes a pod if its disruption budget allows it; false when there is no such pod. */
export async function evict(
  caller: Caller,
  { name, namespace }: ObjectName,
  options: Omit<DeleteOptions, "propagation"> = {},
): Promise<boolean> {
  const eviction = {
    apiVersion: "policy/v1",
    kind: "Eviction",
    metadata: { name, namespace },
    deleteOptions: deletionOptions(caller, options),
  };
  const request: Request = {
    method: "POST",
    path: objectPath(pods, { name, namespace }, "eviction"),
    headers: { "content-type": "application/json" },
    body: JSON.stringify(eviction),
    about: subjectOf("create", pods, { name, namespace, subresource: "eviction" }),
    // "Not now" is the budget's answer, and what to do about it the caller's decision.
    isRetried: false,
    ...writeParts(caller, options),
  };
  let response;
  try {
    response = await call(caller, request);
  } catch (error) {
    if (isAbsence(error)) return false;
    throw error;
  }
  response.body.cancel();
  return true;
}
