import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir, totalmem } from "node:os";
import { dirname, join } from "node:path";
import { Client } from "@homeostat/client";
import { realCluster, ToolMissingError } from "@homeostat/kube";
import { freePorts } from "@homeostat/operator-testing";
import { type BenchContext, interruptible } from "../harness/interruptible.ts";
import { saveRecorded } from "../harness/recorded.ts";
import type { OperatorBenchOptions } from "../operators/arguments.ts";
import { AuditLog, auditSetup, operatorNamespace } from "../operators/audit-log.ts";
import { runKubelet } from "../operators/kubelet.ts";
import { writeHeap } from "../operators/operator-bench.ts";
import { createNamespace, operatorKubeconfig } from "../operators/service-account.ts";
import { RawApi } from "../peers/raw-api.ts";
import { resultsFolder } from "../peers/results.ts";
import { until } from "../peers/time.ts";
import type { Measured } from "./fleet.ts";
import { measure, type SubjectNumbers } from "./measure.ts";
import { podAddress, startComponents } from "./members.ts";
import { exceededLimits, formatNumbers, ratiosOf } from "./report.ts";
import { chronik, clusterNamespace, type Program, rabbitmq, type Subject } from "./subjects.ts";

// Disables limits that protect a shared server: otherwise the limits would be measured.
const apiserverFlags = [
  "--enable-priority-and-fairness=false",
  "--max-requests-inflight=3000",
  "--max-mutating-requests-inflight=1000",
];

/** Measures the Chronik operator and RabbitMQ cluster-operator on one control plane, in turns. Fails when a limit is exceeded. */
export async function runChronik(options: OperatorBenchOptions): Promise<void> {
  if (process.platform !== "linux") throw new Error("This benchmark requires Linux: it reads memory from /proc.");
  await interruptible(async (context) => {
    const date = new Date().toISOString();
    const path = options.json ?? join(resultsFolder, `chronik-${date.slice(0, 19).replaceAll(":", "-")}.json`);
    mkdirSync(dirname(path), { recursive: true });
    const machine = { cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length, memoryBytes: totalmem() };
    const loadBefore = loadavg();
    const programs: BuiltSubject[] = [];
    for (const subject of [chronik, rabbitmq]) {
      if (options.only !== undefined && options.only !== subject.name) continue;
      const program = await built(subject, context);
      if (program !== undefined) programs.push({ subject, program });
    }
    const subjects = await runOnControlPlane(programs, { options, context });
    const load = { before: loadBefore, after: loadavg() };
    writeFileSync(path, `${JSON.stringify({ date, machine, load, options, subjects }, null, 2)}\n`);
    console.log(`\n${formatNumbers(subjects)}\n`);
    for (const [when, values] of Object.entries(load))
      console.log(`Load average ${when} the benchmark: ${values.map((value) => value.toFixed(1)).join(", ")}`);
    context.report(`Results written to ${path}`);
    if (options.isRecorded) saveRecorded(ratiosOf(subjects));
    const over = subjects.filter(({ name }) => name === chronik.name).flatMap(exceededLimits);
    for (const line of over) console.error(`LIMIT EXCEEDED: ${line}`);
    if (over.length > 0) process.exitCode = 1;
  });
}

interface BuiltSubject {
  readonly subject: Subject;
  readonly program: Program;
}

async function built(subject: Subject, context: BenchContext): Promise<Program | undefined> {
  try {
    return await subject.build(context);
  } catch (error) {
    if (!(error instanceof ToolMissingError)) throw error;
    context.report(`${subject.name} skipped: ${error.message}`);
    return undefined;
  }
}

async function runOnControlPlane(
  programs: readonly BuiltSubject[],
  { options, context }: { readonly options: OperatorBenchOptions; readonly context: BenchContext },
): Promise<SubjectNumbers[]> {
  const { signal, report } = context;
  const { HOMEOSTAT_E2E: _, HOMEOSTAT_E2E_KUBECONFIG: __, ...env } = process.env;
  const folder = mkdtempSync(join(tmpdir(), "homeostat-bench-"));
  const { policy, flags } = auditSetup(folder);
  writeFileSync(join(folder, "policy.yaml"), policy);
  const stopKubelet = new AbortController();
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
    for (const { subject, program } of programs) {
      await createNamespace(api, clusterNamespace(subject.name));
      await program.installKinds(cluster.kubeconfigPath);
      await until(() => api.isOk(subject.path), { everyMs: 100, timeoutMs: 60_000, signal, what: "the new kind" });
    }
    const client = await Client.fromKubeconfig({ file: cluster.kubeconfigPath });
    const kubelet = runKubelet(api, client, { reports: { addressOf: podAddress }, signal: stopKubelet.signal });
    const { port: componentPort, server } = await startComponents();
    const measured: Measured[] = [];
    try {
      for (const { subject, program } of programs) {
        const own = join(folder, subject.name);
        mkdirSync(own);
        const kubeconfig = join(own, "kubeconfig.json");
        writeFileSync(kubeconfig, await operatorKubeconfig(api, cluster, subject.name));
        const [metricsPort = 0] = await freePorts(1);
        const start = { kubeconfig, namespace: operatorNamespace, folder: own, metricsPort, componentPort };
        const running = await program.start(start);
        const audit = new AuditLog(folder, subject.name);
        measured.push({ subject, version: program.version, running, api, audit, metricsPort });
      }
      const numbers = await Promise.race([measure(measured, options, context), untilFailed(kubelet)]);
      const [own] = measured;
      if (options.isProfiled && own?.subject === chronik)
        await writeHeap(own.running, { folder, name: chronik.name, report });
      return numbers;
    } finally {
      await Promise.all(measured.map(({ running }) => running[Symbol.asyncDispose]()));
      server.close();
      stopKubelet.abort();
      await kubelet.catch(() => undefined);
      client.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Rejects when a task fails, and never resolves. */
async function untilFailed(task: Promise<void>): Promise<never> {
  await task;
  return new Promise(() => undefined);
}
