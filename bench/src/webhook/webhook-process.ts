// A process that serves the webhooks of the operators and measures the turns of its event loop. The clients are in another
// process, so that all work measured here is that of the webhooks.

import { readFileSync } from "node:fs";
import { conversion, locustWebhook, readSettings } from "@homeostat/locust-operator";
import { defaultingWebhook, type TenantSettings, tenantWebhook } from "@homeostat/tenant-operator";
import { WebhookServer } from "@homeostat/webhook";
import { issue, makeAuthority } from "@homeostat/x509";
import type { Listening, Turns } from "./protocol.ts";

const day = 24 * 3600_000;
const validity = { validFrom: new Date(Date.now() - day), validUntil: new Date(Date.now() + day) };
const authority = makeAuthority({ subject: { commonName: "bench" }, ...validity });
const certificate = issue(authority, { subject: { commonName: "webhooks" }, hosts: ["127.0.0.1"], ...validity });
const tenantSettings: TenantSettings = {
  operatorNamespace: "neurallog-system",
  defaultServerImage: "neurallog/server:latest",
  defaultRedisImage: "redis:7-alpine",
  minimumPodSecurity: "baseline",
  reservedNamespaceKeys: ["example.com"],
  authServiceUrl: undefined,
  authServiceNamespace: undefined,
  maxConcurrentReconciles: 4,
  resyncInterval: 300_000,
};
const locust = locustWebhook({ settings: readSettings({}).settings });
const tenant = tenantWebhook({ settings: () => tenantSettings, readNamespace: async () => undefined });
const tenantDefaults = defaultingWebhook(tenantSettings);
const server = new WebhookServer({ conversions: [conversion], webhooks: [locust, tenant, tenantDefaults] });
const { port } = await server.listen({ certificate, port: 0, host: "127.0.0.1" });

/** Returns the CPU time of the main thread in milliseconds: garbage collection by other threads does not block the event loop. */
function threadCpuMs(): number {
  const [nanoseconds = "0"] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ");
  return Number(nanoseconds) / 1e6;
}

let longest = { cpuMs: 0, wallMs: 0 };
let before = { cpuMs: threadCpuMs(), wallMs: performance.now() };

/** Runs once in each turn of the event loop. */
function observeTurn(): void {
  const now = { cpuMs: threadCpuMs(), wallMs: performance.now() };
  longest = {
    cpuMs: Math.max(longest.cpuMs, now.cpuMs - before.cpuMs),
    wallMs: Math.max(longest.wallMs, now.wallMs - before.wallMs),
  };
  before = now;
  setImmediate(observeTurn);
}

observeTurn();
process.on("message", () => {
  const turns: Turns = { ...longest, rssBytes: process.memoryUsage.rss() };
  longest = { cpuMs: 0, wallMs: 0 };
  process.send?.(turns);
});
process.on("disconnect", () => process.exit());
const paths: Listening["paths"] = {
  "locust validating": locust.path,
  "locust conversion": "/convert",
  "tenant validating": tenant.path,
  "tenant mutating": tenantDefaults.path,
};
const listening: Listening = { port, ca: authority.cert, paths };
process.send?.(listening);
