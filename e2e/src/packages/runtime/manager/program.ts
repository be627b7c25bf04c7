// A complete program as a user would write it: two controllers and a service with a manager, until a signal.

import { loadConnection } from "@homeostat/client";
import { systemClock } from "@homeostat/core";
import { ConfigMap, Secret } from "@homeostat/kubernetes/core/v1";
import { createManager, defineController, pinoLogger, runUntilSignal, type Service } from "@homeostat/runtime";
import { durations, type ProgramOptions, programName } from "./protocol.ts";

const { kubeconfig, token, namespace, identity } = JSON.parse(process.argv[2] ?? "") as ProgramOptions;

/** Creates a promise that is not awaited and is rejected after the reconcile has ended. */
async function forgotten(): Promise<void> {
  await systemClock.sleep(100);
  // Keeps the process alive, as an open connection would.
  void systemClock.sleep(600_000);
  throw new Error("forgotten");
}

/** Writes the name of this process into every labelled ConfigMap. */
const marks = defineController({
  name: "marks",
  for: ConfigMap,
  select: { namespace, labels: "e2e=manager" },
  access: [{ type: ConfigMap, verbs: ["patch"], namespace }],
  async reconcile({ object, client, event, signal }) {
    if (object.data?.["forget"] === "yes") void forgotten();
    if (object.data?.["by"] === identity) return;
    const name = { namespace, name: object.metadata.name ?? "" };
    await client.patch(ConfigMap, name, { merge: { data: { by: identity } } }, { signal });
    event({ reason: "Marked", note: `by ${identity}` });
  },
});

/** Runs for a while and ignores its signal. */
const slow = defineController({
  name: "slow",
  for: ConfigMap,
  select: { namespace, labels: "e2e=slow" },
  access: [{ type: ConfigMap, verbs: ["patch"], namespace }],
  async reconcile({ object, client, clock }) {
    if (object.data?.["by"] !== undefined) return;
    await clock.sleep(1_500);
    const name = { namespace, name: object.metadata.name ?? "" };
    await client.patch(ConfigMap, name, { merge: { data: { by: identity } } });
  },
});

/** Only reads, for which it may lack the permission. */
const secrets = defineController({
  name: "secrets",
  for: Secret,
  select: { namespace },
  reconcile: async () => undefined,
});

const feed: Service = {
  name: "feed",
  when: "leading",
  run: (signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true })),
};

const loaded = await loadConnection({ file: kubeconfig });
const manager = createManager({
  name: programName,
  version: "1.0.0",
  connection: token === undefined ? loaded : { ...loaded, identity: { token: { data: token } } },
  controllers: [marks, slow, secrets],
  services: [feed],
  // The Lease is not deleted here.
  leaderElection: { ...durations, namespace, identity, trustMissing: true },
  http: { port: 0, host: "127.0.0.1" },
  preflight: { recheckMs: 500 },
  log: await pinoLogger({ level: "debug" }),
});
// Exits when the test process has ended.
const leave = (): never => process.exit(3);
process.once("disconnect", leave);
process.exitCode = await runUntilSignal(manager);
// From here on, the process exits by itself unless something was left open.
process.off("disconnect", leave);
