import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir, totalmem } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@homeostat/client";
import { realCluster } from "@homeostat/kube";
import { freePorts } from "@homeostat/operator-testing";
import { operatorImage } from "@homeostat/operator-testing/image";
import { sandboxOperator } from "@homeostat/sandbox-operator";
import { kinds } from "@homeostat/sandbox-operator/internal";
import { type BenchContext, interruptible } from "../harness/interruptible.ts";
import type { OperatorBenchOptions } from "../operators/arguments.ts";
import { AuditLog, auditSetup, operatorNamespace } from "../operators/audit-log.ts";
import { deploymentEnv } from "../operators/deployment-env.ts";
import { runKubelet } from "../operators/kubelet.ts";
import { writeHeap } from "../operators/operator-bench.ts";
import { ProgramProcess } from "../operators/program-process.ts";
import { createNamespace, operatorKubeconfig } from "../operators/service-account.ts";
import { nodeFor } from "../peers/builds.ts";
import { RawApi } from "../peers/raw-api.ts";
import { resultsFolder } from "../peers/results.ts";
import { until } from "../peers/time.ts";
import { Fleet } from "./fleet.ts";
import { measureCompileCosts } from "./compile-cost.ts";
import { measure, type OperatorNumbers } from "./measure.ts";
import { type SandboxResults, saveResults } from "./page.ts";
import { exceededLimits, formatNumbers } from "./report.ts";
import { openShops, shopsFor } from "./shop.ts";

// Disables limits that protect a shared server: otherwise the limits would be measured.
const apiserverFlags = [
  "--enable-priority-and-fairness=false",
  "--max-requests-inflight=3000",
  "--max-mutating-requests-inflight=1000",
];

/** Time after which pods of single sandboxes are ready. */
const podReadyMs = 2_000;

/** Measures the sandbox operator on a real control plane. Fails when a limit is exceeded. */
export async function runSandbox(options: OperatorBenchOptions): Promise<void> {
  if (process.platform !== "linux") throw new Error("This benchmark requires Linux: it reads memory from /proc.");
  await interruptible(async (context) => {
    const date = new Date().toISOString();
    const node = await nodeFor({ node: "newer" }, context);
    const loadBefore = loadavg();
    const operator = await runOnControlPlane(node.path, { options, context });
    // After the control plane has stopped: the compiler blocks this process, and the node would miss heartbeats.
    const numbers = { ...operator, compileCosts: measureCompileCosts() };
    const results: SandboxResults = {
      date,
      machine: { cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length, memoryBytes: totalmem() },
      node: node.version,
      load: { before: loadBefore, after: loadavg() },
      numbers,
    };
    const path = options.json ?? join(resultsFolder, `sandbox-${date.slice(0, 19).replaceAll(":", "-")}.json`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${JSON.stringify(results, null, 2)}\n`);
    console.log(`\n${formatNumbers(numbers)}\n`);
    context.report(`Results written to ${path}`);
    const over = exceededLimits(numbers);
    for (const line of over) console.error(`LIMIT EXCEEDED: ${line}`);
    if (over.length > 0) process.exitCode = 1;
    if (options.isRecorded) saveResults(results);
  });
}

async function runOnControlPlane(
  node: string,
  { options, context }: { readonly options: OperatorBenchOptions; readonly context: BenchContext },
): Promise<OperatorNumbers> {
  const { signal, report } = context;
  const { HOMEOSTAT_E2E: _, HOMEOSTAT_E2E_KUBECONFIG: __, ...env } = process.env;
  const folder = mkdtempSync(join(tmpdir(), "homeostat-bench-"));
  const { policy, flags } = auditSetup(folder);
  writeFileSync(join(folder, "policy.yaml"), policy);
  const stopKubelet = new AbortController();
  const shops = shopsFor(options.count);
  try {
    await using cluster = await realCluster({
      need: "control-plane",
      apiserverFlags: [...apiserverFlags, ...flags],
      env,
      signal,
      report: () => undefined,
    });
    report("the control plane has started");
    using api = new RawApi(cluster);
    await createNamespace(api, operatorNamespace);
    await installKinds(api, signal);
    let readyAfterMs = 0;
    const client = await Client.fromKubeconfig({ file: cluster.kubeconfigPath });
    const kubelet = runKubelet(api, client, {
      reports: { addressOf: addresses(), isScheduled: true, readyAfterMs: () => readyAfterMs },
      signal: stopKubelet.signal,
    });
    let running: ProgramProcess | undefined;
    try {
      await openShops(api, shops, signal);
      const kubeconfig = join(folder, "kubeconfig.json");
      writeFileSync(kubeconfig, await operatorKubeconfig(api, cluster, "sandbox"));
      const [metricsPort = 0] = await freePorts(1);
      const start = () => startOperator({ node, folder, kubeconfig, metricsPort, signal });
      running = await start();
      const operator = (): ProgramProcess => {
        if (running === undefined) throw new Error("the operator does not run");
        return running;
      };
      const audit = new AuditLog(folder, "sandbox");
      const fleet = new Fleet({ api, audit, metricsPort, shops, signal, operator });
      const restart = async (): Promise<void> => {
        await running?.[Symbol.asyncDispose]();
        running = undefined;
        running = await start();
      };
      const measured = measure(
        fleet,
        {
          count: options.count,
          namespaces: shops,
          idleMs: options.idleMs,
          podReadyMs,
          delayPods: (ms) => (readyAfterMs = ms),
          restart,
        },
        context,
      );
      const numbers = await Promise.race([measured, untilFailed(kubelet)]);
      if (options.isProfiled) await writeHeap(operator(), { folder, name: "sandbox", report });
      return numbers;
    } finally {
      await running?.[Symbol.asyncDispose]();
      stopKubelet.abort();
      await kubelet.catch(() => undefined);
      client.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Installs the kinds of the operator and waits until they are served. */
async function installKinds(api: RawApi, signal: AbortSignal): Promise<void> {
  for (const kind of Object.values(kinds)) {
    const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    await api.must({ method: "POST", path, body: JSON.stringify(kind.crd()) }, signal);
    const served = `/apis/${kind.group}/${kind.version}/${kind.plural}`;
    await until(() => api.isOk(served), { everyMs: 100, timeoutMs: 60_000, signal, what: served });
  }
}

interface StartOptions {
  readonly node: string;
  readonly folder: string;
  readonly kubeconfig: string;
  readonly metricsPort: number;
  readonly signal: AbortSignal;
}

/** Starts the program of the image in its environment. Its webhooks are off: the API server of this benchmark cannot call them. */
async function startOperator({ node, folder, kubeconfig, metricsPort, signal }: StartOptions): Promise<ProgramProcess> {
  const { env, entrypoint, files } = operatorImage("sandbox");
  const [command, ...words] = entrypoint;
  if (command !== "node") throw new Error(`the image starts ${command}, which this benchmark cannot run`);
  const program = words.map((word) => {
    const file = files.get(word);
    return file === undefined ? word : fileURLToPath(new URL(`../../../${file}`, import.meta.url));
  });
  const flags = [
    `--kubeconfig=${kubeconfig}`,
    `--namespace=${operatorNamespace}`,
    `--metrics-bind-address=127.0.0.1:${metricsPort}`,
    "--metrics-secure=false",
    "--health-probe-bind-address=127.0.0.1:0",
    "--leader-elect",
    "--webhooks=false",
  ];
  const diagnostics = [`--diagnostic-dir=${folder}`, "--heapsnapshot-signal=SIGUSR2"];
  return ProgramProcess.start({
    command: [node, ...diagnostics, ...program, ...flags],
    env: { PATH: process.env["PATH"], POD_NAME: "bench", ...env, ...deploymentEnv(sandboxOperator()) },
    folder,
    startedText: "Became leader",
    signal,
  });
}

/** Returns a function that gives every pod an address of its own. */
function addresses(): (podName: string) => string {
  let next = 0;
  return () => {
    next += 1;
    return `10.${64 + ((next >> 16) & 63)}.${(next >> 8) & 255}.${next & 255}`;
  };
}

/** Rejects when a task fails, and never resolves. */
async function untilFailed(task: Promise<void>): Promise<never> {
  await task;
  return new Promise(() => undefined);
}
