import { runStub } from "./program.ts";

const stop = new AbortController();
for (const name of ["SIGTERM", "SIGINT"] as const) process.once(name, () => stop.abort());
await runStub({ env: process.env, signal: stop.signal });
