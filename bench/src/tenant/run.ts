import { Tenant } from "@homeostat/tenant-operator";
import { waitForAll } from "../operators/wait-for-all.ts";
import type { OperatorBenchOptions } from "../operators/arguments.ts";
import { installKind } from "../operators/install-kind.ts";
import { type OperatorBench, runOperatorBench, type OperatorDriver } from "../operators/operator-bench.ts";
import { pause } from "../peers/time.ts";
import { exceededLimits, formatNumbers, type TenantNumbers } from "./report.ts";
import { triggerReconciles, countChildren, createTenants, makeReady, tenantBody, tenantsPath } from "./tenants.ts";

const bench: OperatorBench<TenantNumbers> = {
  name: "tenant",
  program: new URL("./program.js", import.meta.url),
  namespace: "default",
  prepare: (api, client, signal) =>
    installKind(api, client, { crd: Tenant.crd(), path: tenantsPath, bodyOf: tenantBody }, signal),
  measure,
  format: formatNumbers,
  exceededLimits,
};

/** Measures the Tenant operator. */
export async function runTenant(options: OperatorBenchOptions): Promise<void> {
  await runOperatorBench(bench, options);
}

/** Time limit for a reconcile of every tenant. */
const reconcileMs = 10_000;

async function measure(driver: OperatorDriver, { count }: OperatorBenchOptions): Promise<TenantNumbers> {
  const { api, client, operator, signal, measurePhase, idle } = driver;
  const allAre = (phase: string): Promise<void> =>
    waitForAll(client, Tenant, { count, matches: ({ status }) => status?.phase === phase, signal });

  const made = await measurePhase("create all, until all objects exist", async () => {
    await Promise.all([createTenants(api, count, signal), allAre("Provisioning")]);
  });
  const children = await countChildren(api, signal);
  const expected = {
    namespaces: count,
    secrets: count,
    services: 2 * count,
    statefulsets: count,
    deployments: count,
    networkpolicies: 3 * count,
  };
  if (JSON.stringify(children) !== JSON.stringify(expected))
    throw new Error(`found ${JSON.stringify(children)}, expected ${JSON.stringify(expected)}`);
  const ready = await measurePhase("pods ready, until all are Running", async () => {
    await Promise.all([makeReady(api, count, signal), allAre("Running")]);
  });
  const again = await measurePhase("reconcile again without changes", async () => {
    await triggerReconciles(api, count, signal);
    await pause(reconcileMs, signal);
  });
  return { tenants: count, made, ready, again, idle: await idle(), peakRssBytes: operator.usage().peakRssBytes };
}
