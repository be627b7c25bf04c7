// Waits until its stdin ends, because the test runner has ended or was killed, and then ends what the run has left.

import { rmSync } from "node:fs";
import { endProcesses } from "./left-processes.ts";

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);

const [, , folder = ""] = process.argv;
for await (const _ of process.stdin);
endProcesses(folder);
rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
