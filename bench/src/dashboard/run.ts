// The dashboard as a process beside an embedded API server with many resources, opened in Chromium.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { type Client, createClient } from "@homeostat/client";
import { type Cluster, startCluster } from "@homeostat/cluster";
import { Browser } from "@homeostat/e2e/browser";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { defineResource, s } from "@homeostat/schema";
import { parseBenchOptions } from "../harness/options.ts";
import { ProgramProcess } from "../operators/program-process.ts";
import { type DashboardResult, exceededLimits, performancePage } from "./report.ts";

const resources = 5_000;
const views = 7;
const changes = 30;
const idleMs = 10_000;
/** Requests of the preparation that are sent at the same time. */
const workers = 16;

const repository = new URL("../../../", import.meta.url);
const assets = new URL("apps/dashboard/dist/assets/", repository);

const Site = defineResource({ group: "example.com", version: "v1", kind: "Site", spec: { size: s.int().default(1) } });

/** Measures, prints the result, and records it if asked. */
export async function runDashboard(words: readonly string[]): Promise<void> {
  const options = { check: { type: "boolean" }, record: { type: "boolean" } } as const;
  const { check = false, record = false } = parseBenchOptions(() => parseArgs({ args: [...words], options })).values;
  const result = await measure();
  const page = performancePage(result);
  console.log(page);
  if (record) writeFileSync(new URL("docs/reference/dashboard-performance.md", repository), page);
  const exceeded = exceededLimits(result);
  for (const line of exceeded) console.log(`OVER ${line}`);
  if (check && exceeded.length > 0) process.exitCode = 1;
}

async function measure(): Promise<DashboardResult> {
  const folder = mkdtempSync(join(tmpdir(), "bench-dashboard-"));
  const cluster = await startCluster({ parts: "api" });
  const client = createClient(cluster.connection());
  try {
    console.log(`Creating ${resources} resources`);
    await createResources(client);
    await using program = await startProgram(cluster, folder);
    await using browser = await Browser.start();
    await browser.setSize(1280, 900);
    const before = program.usage().rssBytes;
    const url = linkIn(folder);
    const { origin } = new URL(url);
    await browser.open(url);
    await browser.until(isVisible);
    const firstViewMs = await measureViews(browser, origin);
    const changeMs = await measureChanges(browser, client);
    const open = program.usage().rssBytes;
    await browser.open("about:blank");
    const idleCpuMs = await measureIdle(program);
    return {
      date: new Date().toISOString(),
      machine: `${cpus().length} cores of ${cpus()[0]?.model ?? "unknown"}, Node.js ${process.version}`,
      load: loadavg()[0] ?? 0,
      resources,
      firstViewMs,
      changeMs,
      pageBytes: pageBytes(),
      memory: { before, open },
      idleCpuMs,
    };
  } finally {
    client.close();
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Expression that is true when the overview shows resources. */
const isVisible = `document.querySelector(".list-body .list-row") !== null`;

async function createResources(client: Client): Promise<void> {
  await client.create(CustomResourceDefinition, Site.crd({ labels: { "app.kubernetes.io/name": "site-operator" } }));
  let next = 0;
  const create = async (): Promise<void> => {
    while (next < resources) {
      const name = nameOf((next += 1));
      await client.create(Site, Site.make({ metadata: { namespace: "default", name }, spec: {} }));
    }
  };
  await Promise.all(Array.from({ length: workers }, create));
}

function nameOf(index: number): string {
  return `site-${String(index).padStart(4, "0")}`;
}

async function startProgram(cluster: Cluster, folder: string): Promise<ProgramProcess> {
  const kubeconfig = join(folder, "kubeconfig");
  await cluster.writeKubeconfig(kubeconfig);
  const program = fileURLToPath(new URL("apps/cli/bin/homeostat.js", repository));
  const conditions = "--conditions=development";
  return ProgramProcess.start({
    command: [process.execPath, conditions, program, "dashboard", "--kubeconfig", kubeconfig],
    env: process.env,
    folder,
    startedText: "/login?token=",
    signal: AbortSignal.timeout(60_000),
  });
}

/** Returns the link that the program printed. */
function linkIn(folder: string): string {
  const [url] = /http:\/\/\S+/.exec(readFileSync(join(folder, "operator.log"), "utf8")) ?? [];
  if (url === undefined) throw new Error("the dashboard printed no link");
  return url;
}

async function measureViews(browser: Browser, origin: string): Promise<readonly number[]> {
  const times: number[] = [];
  for (let view = 0; view < views; view += 1) {
    await browser.open("about:blank");
    const start = performance.now();
    await browser.open(`${origin}/`);
    await browser.until(isVisible);
    times.push(performance.now() - start);
  }
  return times.toSorted((one, other) => one - other);
}

/** Changes resources one after the other. The page records the time at which it shows the change; both use the clock of this machine. */
async function measureChanges(browser: Browser, client: Client): Promise<readonly number[]> {
  await browser.press("/");
  const times: number[] = [];
  for (let index = 1; index <= changes; index += 1) {
    const name = nameOf(index * 100);
    const key = { namespace: "default", name };
    await browser.evaluate(`(() => {
      const input = document.querySelector("input[type=search]");
      input.value = ${JSON.stringify(name)};
      input.dispatchEvent(new Event("input", { bubbles: true }));
    })()`);
    await browser.until(`document.querySelectorAll(".list-body .list-row").length === 1`);
    await client.patch(Site, key, { merge: { metadata: { finalizers: ["example.com/hold"] } } });
    await browser.evaluate(`(() => {
      window.shownAt = 0;
      const check = () => {
        if (document.querySelector(".list-body .state")?.innerText === "Deleting") window.shownAt ||= Date.now();
        else requestAnimationFrame(check);
      };
      check();
    })()`);
    const start = Date.now();
    await client.delete(Site, key);
    await browser.until(`window.shownAt > 0`);
    times.push(Number(await browser.evaluate(`window.shownAt`)) - start);
  }
  return times.toSorted((one, other) => one - other);
}

async function measureIdle(program: ProgramProcess): Promise<number> {
  // The streams of the page end first.
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  const start = program.usage().cpuSeconds;
  await new Promise((resolve) => setTimeout(resolve, idleMs));
  return (program.usage().cpuSeconds - start) * 1_000;
}

function pageBytes(): number {
  const files = readdirSync(assets).filter((name) => /\.(html|js|css|svg)$/.test(name));
  return files.reduce((sum, name) => sum + gzipSync(readFileSync(new URL(name, assets)), { level: 9 }).length, 0);
}
