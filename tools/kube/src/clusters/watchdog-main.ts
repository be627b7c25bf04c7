// Waits until its stdin ends, because the process that started it has exited or closed it, and then removes the cluster with the
// given name.

import { down } from "./down.ts";
import { checkName } from "../cache/paths.ts";

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);

const name = checkName(process.argv[2] ?? "");
for await (const _ of process.stdin);
await down(name, { env: process.env, report: () => undefined });
