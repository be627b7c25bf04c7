import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { locustOperator, readSettings, refuseForeignDefinition } from "@homeostat/locust-operator";
import type { Environment } from "@homeostat/operator";
import type { Exhibit } from "../exhibit.ts";
import { readSample } from "../samples.ts";
import { showLocustTest } from "./show.ts";

/** The sample, as it is in the operator's folder for everybody to use. */
const sampleFile = new URL("../../../../operators/locust/samples/checkout.yaml", import.meta.url);

/** Load tests. The operator is set up by the environment, as it is in a cluster. Throws when that is not to be used. */
export function locustExhibit(env: Environment): Exhibit {
  return {
    // Out here the addresses of pods lead nowhere; the API server reaches them.
    operator: locustOperator(readSettings({ ...env, LIVE_STATS_ACCESS: "apiProxy" })),
    look: (namespace) => `kubectl -n ${namespace} get lotest -w`,
    sample: (namespace) => readSample(sampleFile, namespace),
    check: async (client, signal) => {
      const name = "locusttests.locust.io";
      refuseForeignDefinition(await client.get(CustomResourceDefinition, { name }, { signal }));
    },
    show: (stage, signal) => showLocustTest({ ...stage, name: "checkout" }, signal),
  };
}
