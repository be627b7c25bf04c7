import type { Request } from "../transport/transport.ts";
import { call, type Caller, subjectOf } from "./call.ts";
import { type DeleteOptions, deletionOptions } from "./delete.ts";
import { isObjectNotFound } from "./get.ts";
import { objectPath, type ObjectName, type PathResource } from "./paths.ts";
import { writeParts } from "./write.ts";

/** The resource of pods. */
export const pods: PathResource = { group: "", version: "v1", plural: "pods", scope: "Namespaced" };

/** Evicts a pod. Returns false if it does not exist. */
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
    // A 429 means that a PodDisruptionBudget does not allow the eviction now. Whether to retry is up to the caller.
    isRetried: false,
    ...writeParts(caller, options),
  };
  let response;
  try {
    response = await call(caller, request);
  } catch (error) {
    if (isObjectNotFound(error)) return false;
    throw error;
  }
  response.body.cancel();
  return true;
}
