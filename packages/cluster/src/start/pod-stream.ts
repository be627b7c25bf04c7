import { type NodeProvider, type ServerStatus, StatusError } from "@homeostat/apiserver";
import type { JsonRecord } from "@homeostat/core";
import { podKey } from "./pod-key.ts";

/**
 * Refuses `exec`, `attach` and `port-forward` with a message that names the alternative.
 *
 * A pod of a simulated node has no process and no network interface.
 */
export const podStream: NonNullable<NodeProvider["stream"]> = async ({ pod }, { request }) => {
  throw new StatusError(refusal(request.info.subresource, pod));
};

function refusal(subresource: string, pod: JsonRecord): ServerStatus {
  const message = `pods of this cluster are simulated and ${alternativeTo(subresource, podKey(pod))}`;
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, code: 501 };
}

function alternativeTo(subresource: string, { namespace, name }: { namespace: string; name: string }): string {
  if (subresource === "portforward") {
    const path = `/api/v1/namespaces/${namespace}/pods/${name}:PORT/proxy/`;
    return `cannot be port-forwarded; if this pod runs an app model that serves HTTP, send requests with: kubectl get --raw ${path}`;
  }
  const what = subresource === "attach" ? "have no process to attach to" : "cannot run commands";
  return `${what}; read its log with: kubectl logs -n ${namespace} ${name}`;
}
