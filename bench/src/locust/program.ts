import { locustOperator, readSettings } from "@homeostat/locust-operator";
import { runCounted } from "../operators/run-counted.ts";

await runCounted(locustOperator(readSettings(process.env)), process.argv.slice(2));
