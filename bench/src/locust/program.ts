import { locustOperator, readConfig } from "@homeostat/locust-operator";
import { runCounted } from "../operators/run-counted.ts";

await runCounted(locustOperator(readConfig(process.env)), process.argv.slice(2));
