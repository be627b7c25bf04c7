import { internalErrorStatus, type LogProvider, StatusError } from "@homeostat/apiserver";
import { isRecord, type JsonRecord, ownValue } from "@homeostat/core";
import { PodLogError, type PodLogOptions } from "../node/pod-logs.ts";
import type { SimulatedNode } from "../node/start-node.ts";

/** Builds the API server's access to the logs of containers on simulated nodes. */
export function nodeLogs(nodes: () => readonly SimulatedNode[]): LogProvider {
  return {
    logs: async (pod, wanted, signal) => {
      const { namespace, name } = placeOf(pod);
      const node = nodes().find((each) => each.hasPod({ namespace, name }));
      if (node === undefined)
        throw new StatusError(internalErrorStatus(`no kubelet runs the pod ${namespace}/${name}`));
      const options: PodLogOptions = {
        namespace,
        name,
        container: wanted.container,
        follow: wanted.isFollowed,
        previous: wanted.isPrevious,
        timestamps: wanted.hasTimestamps,
        sinceSeconds: wanted.sinceSeconds,
        sinceTime: wanted.sinceTimeMs,
        tailLines: wanted.tailLines,
        limitBytes: wanted.limitBytes,
        signal,
      };
      return withFirst(() => node.podLogs(options));
    },
  };
}

/** Opens a log. An error becomes a status response instead of a broken stream. */
async function withFirst(open: () => AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
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

function placeOf(pod: JsonRecord): { namespace: string; name: string } {
  const metadata = ownValue(pod, "metadata");
  const text = (field: string): string => {
    const value = isRecord(metadata) ? ownValue(metadata, field) : undefined;
    return typeof value === "string" ? value : "";
  };
  return { namespace: text("namespace"), name: text("name") };
}
