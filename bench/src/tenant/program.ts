import { tenantOperator } from "@homeostat/tenant-operator";
import { runCounted } from "../operators/run-counted.ts";

await runCounted(tenantOperator(), process.argv.slice(2));
