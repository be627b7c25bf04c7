import { internalErrorStatus, type LogProvider, StatusError } from "@homeostat/apiserver";
import { PodLogError, type PodLogOptions } from "../node/pod-logs.ts";
import type { SimulatedNode } from "./start-node.ts";
import { podKey } from "./pod-key.ts";

/** Builds the API server's access to the logs of containers on simulated nodes. */
export function nodeLogs(nodes: () => readonly SimulatedNode[]): LogProvider {
  return {
    logs: async (pod, requested, signal) => {
      const { namespace, name } = podKey(pod);
      const node = nodes().find((each) => each.hasPod({ namespace, name }));
      if (node === undefined)
        throw new StatusError(internalErrorStatus(`no kubelet runs the pod ${namespace}/${name}`));
      const options: PodLogOptions = {
        namespace,
        name,
        container: requested.container,
        follow: requested.isFollowed,
        previous: requested.isPrevious,
        timestamps: requested.hasTimestamps,
        sinceSeconds: requested.sinceSeconds,
        sinceTime: requested.sinceTimeMs,
        tailLines: requested.tailLines,
        limitBytes: requested.limitBytes,
        signal,
      };
      return openLog(() => node.podLogs(options));
    },
  };
}

/** Opens a log. An error becomes a status response instead of a broken stream. */
async function openLog(open: () => AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  try {
    return open();
  } catch (error) {
    if (!(error instanceof PodLogError)) throw error;
    const { status: code, reason, message } = error;
    throw new StatusError(
      { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason, code },
      { cause: error },
    );
  }
}
