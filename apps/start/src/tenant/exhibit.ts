import { tenantOperator } from "@homeostat/tenant-operator";
import type { Exhibit } from "../exhibit.ts";
import { readSample } from "../samples.ts";
import { showTenant } from "./show.ts";

/** The sample, as it is in the operator's folder for everybody to use. */
const sampleFile = new URL("../../../../operators/tenant/samples/basic.yaml", import.meta.url);

/** Tenants. */
export function tenantExhibit(): Exhibit {
  return {
    operator: tenantOperator(),
    look: () => "kubectl get tenants -w",
    // A tenant is in no namespace: it has one.
    sample: () => readSample(sampleFile),
    show: (stage, signal) => showTenant({ ...stage, name: "acme" }, signal),
  };
}
