import { sandboxOperator } from "@homeostat/sandbox-operator";
import type { Demo } from "../demo.ts";
import { readSample } from "../samples.ts";
import { showSandbox } from "./show.ts";

/** Samples shipped with the operator, in the order in which they are created: the policy allows sandboxes in the namespace. */
const sampleFiles = ["baseline-policy", "baseline", "sandbox", "group"].map(
  (name) => new URL(`../../../../operators/sandbox/samples/${name}.yaml`, import.meta.url),
);

/** Builds the demo of the sandbox operator: a shop of three services, a sandbox that forks one of them, and a group. */
export function sandboxDemo(): Demo {
  return {
    operator: () => sandboxOperator(),
    kubectlCommand: (namespace) => `kubectl -n ${namespace} get sandboxes,routegroups,routetables`,
    sample: async (namespace) => (await Promise.all(sampleFiles.map((file) => readSample(file, namespace)))).flat(),
    show: (context, signal) => showSandbox({ ...context, name: "pr-42", group: "checkout-v2" }, signal),
  };
}
