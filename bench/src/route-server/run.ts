// One replica of the route server with many proxies: time from an API write to the last proxy, and memory.

import { type ChildProcess, spawn } from "node:child_process";
import { once, setMaxListeners } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type Client, createClient } from "@homeostat/client";
import { type Cluster, startCluster } from "@homeostat/cluster";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { Namespace, ServiceAccount } from "@homeostat/kubernetes/core/v1";
import { RouteTable } from "@homeostat/sandbox-operator";
import { kinds } from "@homeostat/sandbox-operator/internal";
import { FollowingProxy } from "@homeostat/sandbox-route-server/testing";
import { issue, makeAuthority } from "@homeostat/x509";
import { parseBenchOptions } from "../harness/options.ts";
import { exceededLimits, performancePage, type RouteServerResult } from "./report.ts";

const tables = 1_000;
const entries = 5;
const proxies = 100;
const changes = 100;
const namespace = "shop";
const waitMsMax = 300_000;

const repository = new URL("../../../", import.meta.url);

/** Measures, prints the result, and records it if asked. */
export async function runRouteServer(words: readonly string[]): Promise<void> {
  const options = { check: { type: "boolean" }, record: { type: "boolean" } } as const;
  const { check = false, record = false } = parseBenchOptions(() => parseArgs({ args: [...words], options })).values;
  const result = await measure();
  const page = performancePage(result);
  console.log(page);
  if (record) writeFileSync(new URL("docs/reference/route-server-performance.md", repository), page);
  const exceeded = exceededLimits(result);
  for (const line of exceeded) console.log(`OVER ${line}`);
  if (check && exceeded.length > 0) process.exitCode = 1;
}

async function measure(): Promise<RouteServerResult> {
  const folder = mkdtempSync(join(tmpdir(), "bench-route-server-"));
  const cluster = await startCluster({ parts: "api" });
  const client = createClient(cluster.connection());
  const stop = new AbortController();
  setMaxListeners(proxies + 10, stop.signal);
  let server: ChildProcess | undefined;
  let running: readonly Promise<void>[] = [];
  try {
    await prepare(client);
    const ca = writeCertificate(folder);
    writeFileSync(join(folder, "kubeconfig"), cluster.kubeconfig(), { mode: 0o600 });
    const ports = [await freePort(), await freePort()] as const;
    server = startServer(folder, ports);
    const started = server;
    await until("the tables are read", () => isReady(ports[1]));
    const withTables = residentBytes(started);

    const token = await requestToken(cluster);
    // The proxies that have received the version that is expected at present.
    const received = { version: "", proxies: new Set<string>() };
    const all = Array.from({ length: proxies }, (_, index) => {
      const name = `p-${index}`;
      return new FollowingProxy({
        ports: () => [ports[0]],
        ca,
        token: () => token,
        proxy: name,
        onOperation: (operation) => {
          if (operation.op === "REPLACE" && operation.table.version === received.version) received.proxies.add(name);
        },
      });
    });
    running = all.map((each) => each.run(stop.signal));
    await until("all proxies are synced", () => all.every(({ isSynced }) => isSynced));
    // The counts of the first confirmations are written to all tables.
    await until("all tables show all proxies", async () => {
      const { items } = await client.list(RouteTable, { namespace });
      return items.every(({ status }) => status?.replicas?.[0]?.synced === proxies);
    });
    const lastMs: number[] = [];
    const cpuBefore = cpuMsOf(started);
    for (let change = 0; change < changes; change += 1) {
      received.version = `change-${change}`;
      received.proxies.clear();
      const startedMs = performance.now();
      const key = { namespace, name: `s${change % tables}` };
      await client.patch(RouteTable, key, { merge: { spec: { version: received.version } } });
      await until("all proxies have the change", () => received.proxies.size === proxies);
      lastMs.push(performance.now() - startedMs);
    }
    const { model = "unknown CPU" } = cpus()[0] ?? {};
    return {
      date: new Date().toISOString(),
      machine: `${cpus().length} cores of ${model.trim()}, Node.js ${process.version}`,
      load: loadavg()[0] ?? 0,
      tables,
      entries,
      proxies,
      lastMs: lastMs.toSorted((a, b) => a - b),
      cpuMs: (cpuMsOf(started) - cpuBefore) / changes,
      memory: { tables: withTables, proxies: residentBytes(started) },
    };
  } finally {
    stop.abort();
    await Promise.all(running);
    if (server !== undefined && server.exitCode === null) {
      server.kill("SIGKILL");
      await once(server, "exit");
    }
    client.close();
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function prepare(client: Client): Promise<void> {
  for (const kind of Object.values(kinds)) await client.create(CustomResourceDefinition, kind.crd());
  await client.mapper.all({ isFresh: true });
  for (const name of [namespace, "sandbox-system"]) {
    await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  }
  const metadata = { name: "proxy", namespace };
  await client.create(ServiceAccount, { apiVersion: "v1", kind: "ServiceAccount", metadata });
  const names = Array.from({ length: tables }, (_, index) => `s${index}`).values();
  const work = async (): Promise<void> => {
    for (const name of names) await client.create(RouteTable, RouteTable.default(tableOf(name)));
  };
  await Promise.all(Array.from({ length: 10 }, work));
}

function tableOf(name: string): Parameters<typeof RouteTable.default>[0] {
  return {
    apiVersion: "sandbox.example.com/v1alpha1",
    kind: "RouteTable",
    metadata: { name, namespace },
    spec: {
      service: name,
      version: "v0",
      ports: [{ port: 80, baselineTarget: `${name}.${namespace}.svc:80` }],
      entries: Array.from({ length: entries }, (_, index) => ({
        routingKey: `key${index}`,
        sandbox: `pr-${index}`,
        sandboxUid: `uid-${index}`,
        workload: name,
        source: "Sandbox",
        ports: [{ port: 80, targetService: `pr-${index}-${name}`, targetPort: 80 }],
      })),
    },
  };
}

/** Writes a certificate for localhost and returns its CA. */
function writeCertificate(folder: string): string {
  const dates = { validFrom: new Date(Date.now() - 60_000), validUntil: new Date(Date.now() + 86_400_000) };
  const authority = makeAuthority({ subject: { commonName: "bench" }, ...dates });
  const subject = { commonName: "localhost" };
  const { cert, key } = issue(authority, { subject, hosts: ["localhost"], usages: ["server"], ...dates });
  writeFileSync(join(folder, "tls.crt"), cert);
  writeFileSync(join(folder, "tls.key"), key, { mode: 0o600 });
  return authority.cert;
}

function startServer(folder: string, [streams, queries]: readonly [number, number]): ChildProcess {
  const program = fileURLToPath(new URL("apps/route-server/dist/program.js", repository));
  const flags = {
    kubeconfig: join(folder, "kubeconfig"),
    namespace: "sandbox-system",
    "cert-dir": folder,
    "stream-port": streams,
    "query-port": queries,
    "metrics-bind-address": 0,
    "health-probe-bind-address": 0,
  };
  const args = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
  // The environment of the image.
  const env = { ...process.env, MALLOC_ARENA_MAX: "1", MALLOC_MMAP_THRESHOLD_: "16384" };
  return spawn(process.execPath, ["--expose-gc", program, ...args], { stdio: ["ignore", "ignore", "inherit"], env });
}

async function isReady(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://localhost:${port}/readyz`, { signal: AbortSignal.timeout(5_000) })).ok;
  } catch {
    return false;
  }
}

async function requestToken(cluster: Cluster): Promise<string> {
  const { body } = await cluster.transport().send({
    method: "POST",
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/proxy/token`,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      spec: { audiences: ["sandbox-routes"], expirationSeconds: 36_000 },
    }),
  });
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  const response: { status?: { token?: string } } = JSON.parse(Buffer.concat(chunks).toString());
  return response.status?.token ?? "";
}

function residentBytes({ pid = 0 }: ChildProcess): number {
  const [, kilobytes = "0"] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) * 1_024;
}

/** Returns the CPU time of a process. The kernel counts it in hundredths of a second. */
function cpuMsOf({ pid = 0 }: ChildProcess): number {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The fields after the name of the program, which may contain spaces: user time is the 12th of them, system time the 13th.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + waitMsMax;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`timed out waiting until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, "localhost", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}
