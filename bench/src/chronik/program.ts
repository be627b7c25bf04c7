// The Chronik operator as its image runs it, except that it calls the components of pods at a port of this machine: COMPONENT-PORT [flag ...]

import { chronikOperator } from "@homeostat/chronik-operator";
import { runOperator } from "homeostat";
import { componentHost } from "./members.ts";

const [componentPort = "0", ...argv] = process.argv.slice(2);
const resolvePod = (ip: string): { host: string; port: number } => ({
  host: componentHost(ip),
  port: Number(componentPort),
});
// The peers have no periodic applies, and the report compares the writes of clusters at rest.
const env = { ...process.env, FORCE_APPLY_SECONDS: "0" };
process.exitCode = await runOperator(chronikOperator({ resolvePod }), { argv, env });
