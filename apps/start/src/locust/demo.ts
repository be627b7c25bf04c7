import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { locustOperator, readSettings, refuseForeignDefinition } from "@homeostat/locust-operator";
import type { Environment } from "@homeostat/operator";
import type { Demo } from "../demo.ts";
import { readSample } from "../samples.ts";
import { showLocustTest } from "./show.ts";

/** Sample manifest shipped with the operator. */
const sampleFile = new URL("../../../../operators/locust/samples/checkout.yaml", import.meta.url);

/** Builds the demo of the Locust operator. Reads the operator's settings from the environment and throws if they are invalid. */
export function locustDemo(env: Environment): Demo {
  // Pod IPs are not reachable from this process, so live statistics are read through the API server's proxy.
  const settings = readSettings({ ...env, LIVE_STATS_ACCESS: "apiProxy" });
  return {
    operator: () => locustOperator(settings),
    kubectlCommand: (namespace) => `kubectl -n ${namespace} get lotest -w`,
    sample: (namespace) => readSample(sampleFile, namespace),
    check: async (client, signal) => {
      const name = "locusttests.locust.io";
      refuseForeignDefinition(await client.get(CustomResourceDefinition, { name }, { signal }));
    },
    show: (context, signal) => showLocustTest({ ...context, name: "checkout" }, signal),
  };
}
