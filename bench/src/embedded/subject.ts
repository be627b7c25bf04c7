import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type RealCluster, realCluster } from "@homeostat/kube";
import { type Usage, usageOf } from "../peers/proc.ts";
import type { ApiAccess } from "@homeostat/kube";
import { RawApi } from "../peers/raw-api.ts";
import { resultsFolder } from "../peers/results.ts";
import type { BenchContext } from "../harness/interruptible.ts";
import { pause } from "../peers/time.ts";

/** A measured server, running in its own processes. */
export interface Subject extends AsyncDisposable {
  readonly access: ApiAccess;
  /** Time from process start to the first successful request. */
  readonly startMs: number;
  /** Returns the current memory of all its processes. */
  rssBytes(): number;
  /** Returns the peak memory of its processes. */
  peakRssBytes(): number;
  /** Returns the CPU time used by its processes. */
  cpuSeconds(): number;
}

/** Starts a server by name. */
export async function startSubject(
  name: string,
  context: BenchContext,
  { isProfiled }: { readonly isProfiled: boolean },
): Promise<Subject> {
  const flags = isProfiled ? ["--cpu-prof", `--cpu-prof-dir=${resultsFolder}`] : [];
  return name === "embedded" ? startEmbedded(flags, context) : startReal(context);
}

const program = fileURLToPath(new URL("../../../apps/cli/bin/homeostat.js", import.meta.url));

/** Starts the command that users run, without controllers and nodes: the equivalent of etcd and kube-apiserver. */
async function startEmbedded(flags: readonly string[], { signal }: BenchContext): Promise<Subject> {
  const folder = mkdtempSync(join(tmpdir(), "homeostat-bench-"));
  const file = join(folder, "kubeconfig");
  const started = performance.now();
  const child = spawn(process.execPath, [...flags, program, "cluster", "--api-only", "--kubeconfig", file], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const printed = await new Promise<string>((resolve, reject) => {
    let text = "";
    child.stdout.on("data", (piece: Buffer) => {
      text += piece.toString();
      if (text.includes("KUBECONFIG")) resolve(text);
    });
    child.once("exit", (code) => reject(new Error(`homeostat cluster exited with code ${code}`)));
  });
  const access = readAccess(readFileSync(file, "utf8"), /https:\/\/[\d.]+:\d+/.exec(printed)?.[0] ?? "");
  await waitForFirstResponse(access, signal);
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

// Disables limits that protect a shared server: otherwise the limits would be measured.
const apiserverFlags = [
  "--enable-priority-and-fairness=false",
  "--max-requests-inflight=3000",
  "--max-mutating-requests-inflight=1000",
];

async function startReal({ signal, report }: BenchContext): Promise<Subject> {
  const { HOMEOSTAT_E2E: _, HOMEOSTAT_E2E_KUBECONFIG: __, ...env } = process.env;
  const started = performance.now();
  const cluster = await realCluster({ need: "apiserver", apiserverFlags, env, signal, report });
  await waitForFirstResponse(cluster, signal);
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

async function waitForFirstResponse(access: ApiAccess, signal: AbortSignal): Promise<void> {
  using api = new RawApi(access, 1);
  while (!(await api.isOk("/api/v1/namespaces/default"))) await pause(5, signal);
}

/** Reads the certificates from a kubeconfig that this project wrote. */
function readAccess(kubeconfig: string, server: string): ApiAccess {
  const pem = (name: string): string =>
    Buffer.from(new RegExp(`${name}: "?([A-Za-z0-9+/=]+)`).exec(kubeconfig)?.[1] ?? "", "base64").toString();
  return {
    server,
    ca: pem("certificate-authority-data"),
    cert: pem("client-certificate-data"),
    key: pem("client-key-data"),
  };
}

/** Returns the process ids of etcd and kube-apiserver of a cluster. The tool that starts them marks its processes. */
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
