// Waits until its input ends, which is when the process that started it has ended or said so, and then makes sure that
// the cluster of the given name is gone.

import { down } from "./down.ts";
import { checkName } from "./paths.ts";

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);

const name = checkName(process.argv[2] ?? "");
for await (const _ of process.stdin);
await down(name, { env: process.env, report: () => undefined });
