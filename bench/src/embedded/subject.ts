import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type RealCluster, realCluster } from "@homeostat/kube";
import { type Usage, usageOf } from "../peers/proc.ts";
import { type Access, RawApi } from "../peers/raw-api.ts";
import { resultsFolder } from "../peers/results.ts";
import type { Surroundings } from "../harness/interruptible.ts";
import { pause } from "../peers/time.ts";

/** A server that is measured, as processes of its own. */
export interface Subject extends AsyncDisposable {
  readonly access: Access;
  /** From the start of its processes to the first successful request. */
  readonly startMs: number;
  /** What its processes take together, now. */
  rssBytes(): number;
  /** The most that they have taken. */
  peakRssBytes(): number;
  /** The CPU time that they have used. */
  cpuSeconds(): number;
}

/** Starts a server by its name. */
export async function startSubject(
  name: string,
  surroundings: Surroundings,
  { isProfiled }: { readonly isProfiled: boolean },
): Promise<Subject> {
  const flags = isProfiled ? ["--cpu-prof", `--cpu-prof-dir=${resultsFolder}`] : [];
  return name === "embedded" ? startEmbedded(flags, surroundings) : startReal(surroundings);
}

const program = fileURLToPath(new URL("../../../apps/cli/bin/homeostat.js", import.meta.url));

/** The command that users run, without controllers and nodes: what etcd and kube-apiserver are. */
async function startEmbedded(flags: readonly string[], { signal }: Surroundings): Promise<Subject> {
  const folder = mkdtempSync(join(tmpdir(), "homeostat-bench-"));
  const file = join(folder, "kubeconfig");
  const started = performance.now();
  const child = spawn(process.execPath, [...flags, program, "cluster", "--api-only", "--kubeconfig", file], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const said = await new Promise<string>((resolve, reject) => {
    let text = "";
    child.stdout.on("data", (piece: Buffer) => {
      text += piece.toString();
      if (text.includes("KUBECONFIG")) resolve(text);
    });
    child.once("exit", (code) => reject(new Error(`homeostat cluster ended with ${code}`)));
  });
  const access = readAccess(readFileSync(file, "utf8"), /https:\/\/[\d.]+:\d+/.exec(said)?.[0] ?? "");
  await firstAnswer(access, signal);
  const startMs = performance.now() - started;
  const { pid = 0 } = child;
  return {
    access,
    startMs,
    rssBytes: () => usageOf(pid).rssBytes,
    peakRssBytes: () => usageOf(pid).peakRssBytes,
    cpuSeconds: () => usageOf(pid).cpuSeconds,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

// Limits that protect a shared server would be measured instead of the server.
const apiserverFlags = [
  "--enable-priority-and-fairness=false",
  "--max-requests-inflight=3000",
  "--max-mutating-requests-inflight=1000",
];

async function startReal({ signal, report }: Surroundings): Promise<Subject> {
  const { HOMEOSTAT_E2E: _, HOMEOSTAT_E2E_KUBECONFIG: __, ...env } = process.env;
  const started = performance.now();
  const cluster = await realCluster({ need: "apiserver", apiserverFlags, env, signal, report });
  await firstAnswer(cluster, signal);
  const startMs = performance.now() - started;
  const pids = pidsOf(cluster);
  const sum = (measure: keyof Usage): number => pids.reduce((total, pid) => total + usageOf(pid)[measure], 0);
  return {
    access: cluster,
    startMs,
    rssBytes: () => sum("rssBytes"),
    peakRssBytes: () => sum("peakRssBytes"),
    cpuSeconds: () => sum("cpuSeconds"),
    [Symbol.asyncDispose]: () => cluster.stop(),
  };
}

async function firstAnswer(access: Access, signal: AbortSignal): Promise<void> {
  using api = new RawApi(access, 1);
  while (!(await api.isOk("/api/v1/namespaces/default"))) await pause(5, signal);
}

/** The texts of a kubeconfig that this project wrote. */
function readAccess(kubeconfig: string, server: string): Access {
  const pem = (name: string): string =>
    Buffer.from(new RegExp(`${name}: "?([A-Za-z0-9+/=]+)`).exec(kubeconfig)?.[1] ?? "", "base64").toString();
  return {
    server,
    ca: pem("certificate-authority-data"),
    cert: pem("client-certificate-data"),
    key: pem("client-key-data"),
  };
}

/** etcd and kube-apiserver of a cluster; the tool that starts them marks its processes. */
function pidsOf({ kubeconfigPath }: RealCluster): number[] {
  const mark = `HOMEOSTAT_KUBE_CLUSTER=${dirname(kubeconfigPath)}`;
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && zeroTerminated(`/proc/${name}/environ`).includes(mark))
    .filter((pid) => ["etcd", "kube-apiserver"].includes(basename(zeroTerminated(`/proc/${pid}/cmdline`)[0] ?? "")))
    .map(Number);
}

function zeroTerminated(path: string): string[] {
  try {
    return readFileSync(path, "utf8").split("\0");
  } catch {
    return [];
  }
}
