import { tenantOperator } from "@homeostat/tenant-operator";
import type { Demo } from "../demo.ts";
import { readSample } from "../samples.ts";
import { showTenant } from "./show.ts";

/** Sample manifest shipped with the operator. */
const sampleFile = new URL("../../../../operators/tenant/samples/basic.yaml", import.meta.url);

/** Builds the demo of the Tenant operator. */
export function tenantDemo(): Demo {
  return {
    operator: () => tenantOperator(),
    kubectlCommand: () => "kubectl get tenants -w",
    // Tenants are cluster-scoped, so the sample has no namespace.
    sample: () => readSample(sampleFile),
    show: (context, signal) => showTenant({ ...context, name: "acme" }, signal),
  };
}
