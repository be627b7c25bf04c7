import type { Manifest } from "@homeostat/operator";
import { sandboxOperator } from "@homeostat/sandbox-operator";
import type { TargetCluster } from "../cluster/target-cluster.ts";
import type { Demo } from "../demo.ts";
import { readSample } from "../samples.ts";
import { Routing } from "./routing.ts";
import { shopModel } from "./shop-model.ts";
import { showSandbox } from "./show.ts";

/** Samples shipped with the operator, in the order in which they are created: the policy allows sandboxes in the namespace. */
const sampleFiles = ["baseline-policy", "baseline", "sandbox", "group"].map(
  (name) => new URL(`../../../../operators/sandbox/samples/${name}.yaml`, import.meta.url),
);

/**
 * Builds the demo of the sandbox operator: a shop of three services, a sandbox that forks one of them, and a group. On the embedded cluster
 * route server and proxies run as well, and requests are routed. Their images are not published, so that other clusters cannot run them.
 */
export function sandboxDemo(): Demo {
  const routing = new Routing();
  return {
    operator: () => sandboxOperator(),
    kubectlCommand: (namespace) => `kubectl -n ${namespace} get sandboxes,routegroups,routetables`,
    models: [routing.model, shopModel],
    sample: async (namespace, cluster) => {
      const manifests = (await Promise.all(sampleFiles.map((file) => readSample(file, namespace)))).flat();
      return isEmbedded(cluster) ? manifests.map((manifest) => takenOver(manifest)) : manifests;
    },
    show: async (context, signal) => {
      const { cluster, clock } = context;
      const show = { ...context, name: "pr-42", service: "cart", group: "checkout-v2" };
      if (!isEmbedded(cluster)) return showSandbox(show, signal);
      await Promise.all([showSandbox({ ...show, routing }, signal), routing.run(cluster, { clock, signal })]);
    },
  };
}

function isEmbedded({ addressOf }: TargetCluster): boolean {
  return addressOf !== undefined;
}

/** Returns the Service of the cart with the annotation that lets the operator take it over, and other objects unchanged. */
function takenOver(manifest: Manifest): Manifest {
  const { kind, metadata } = manifest;
  if (kind !== "Service" || metadata.name !== "cart") return manifest;
  const annotations = { ...metadata.annotations, "sandbox.example.com/interception": "Takeover" };
  return { ...manifest, metadata: { ...metadata, annotations } };
}
