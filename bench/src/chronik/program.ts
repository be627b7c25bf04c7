// Arguments: KUBECONFIG NAMESPACE METRICS-ADDRESS COMPONENT-PORT

import { chronikOperator } from "@homeostat/chronik-operator";
import { runCounted } from "../operators/run-counted.ts";
import { componentHost } from "./members.ts";

const [componentPort = "0"] = process.argv.slice(5);
const resolvePod = (ip: string): { host: string; port: number } => ({
  host: componentHost(ip),
  port: Number(componentPort),
});
// The peers have no periodic applies, and the report compares the writes of clusters at rest.
await runCounted(chronikOperator({ resolvePod }), process.argv.slice(2), { forceApplySeconds: 0 });
