import { chronikOperator } from "@homeostat/chronik-operator";
import type { Demo } from "../demo.ts";
import { readSample } from "../samples.ts";
import { showChronikCluster } from "./show.ts";

/** Sample manifest of this program: unlike the operator's samples, it sets short times between restarts. */
const sampleFile = new URL("../../samples/chronik.yaml", import.meta.url);

/** Builds the demo of the Chronik operator. */
export function chronikDemo(): Demo {
  return {
    // The operator calls its pods directly. On the embedded cluster their ports are ports of this machine.
    operator: ({ addressOf }) => chronikOperator({ resolvePod: addressOf }),
    kubectlCommand: (namespace) => `kubectl -n ${namespace} get chronikclusters -w`,
    sample: (namespace) => readSample(sampleFile, namespace),
    skipReason: ({ addressOf }) =>
      addressOf === undefined
        ? "its demo requires the embedded cluster, because no images of Chronik are published"
        : undefined,
    show: (context, signal) => showChronikCluster({ ...context, name: "events" }, signal),
  };
}
