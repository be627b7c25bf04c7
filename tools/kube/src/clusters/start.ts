import { existsSync, writeFileSync } from "node:fs";
import { type StartContext, componentKubeconfig, serverOf, startControlPlane } from "../control-plane/control-plane.ts";
import { importPause } from "../images/image.ts";
import { kubeconfigOf } from "../certificates/kubeconfig.ts";
import { type Layout, nodeLayouts, plainLayout } from "../records/layout.ts";
import { connectCluster, startMachine } from "../nodes/machine.ts";
import { startNode, writeNodeFiles } from "../nodes/node.ts";
import type { Environment } from "../cache/paths.ts";
import { makePki, openPki, userNames } from "../certificates/pki.ts";
import { start } from "../control-plane/processes.ts";
import { type ClusterRecord, clusterPaths, writeRecord } from "../records/state.ts";
import { now } from "../processes/time.ts";
import type { UpOptions } from "./up-options.ts";

/** Starts every component of a cluster and records each. Returns the record of the running cluster. */
export async function startAll(record: ClusterRecord, folder: string, options: UpOptions): Promise<ClusterRecord> {
  const { env, signal, report } = options;
  const nodes = nodeLayouts(record);
  const [first] = nodes;
  const layout = first ?? plainLayout;
  writeIdentities(record, folder, layout);
  let current = record;
  const note = (process: ClusterRecord["processes"][number]): void => {
    current = { ...current, processes: [...current.processes, process] };
    writeRecord(env, current);
  };
  const context: StartContext = {
    get record() {
      return current;
    },
    folder,
    layout,
    apiserverFlags: options.apiserverFlags ?? [],
    signal,
    report,
    launch: async (component, command, args) => {
      signal?.throwIfAborted();
      const logPath = clusterPaths(folder).log(component);
      const started = await start({ component, command, args, clusterFolder: folder, logPath, env: programEnv(env) });
      note(started.process);
      return started;
    },
  };
  for (const node of nodes) {
    writeNodeFiles(context, node);
    note(await startMachine(context, node));
  }
  if (first !== undefined) await connectCluster(first, signal);
  report(`starting Kubernetes at ${serverOf(record)}`);
  await startControlPlane(context);
  for (const node of nodes) {
    await startNode(context, node, async (ctr) => {
      await importPause([ctr], options);
    });
  }
  const { starter: _, ...rest } = current;
  const running: ClusterRecord = { ...rest, phase: "running" };
  writeRecord(env, running);
  return running;
}

/** Creates keys and certificates, or uses those of a kept cluster, and writes a kubeconfig for each user. */
function writeIdentities(record: ClusterRecord, folder: string, layout: Layout): void {
  const inCluster = [
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
  ];
  const apiserver = ["localhost", "127.0.0.1", record.address, layout.firstService, ...inCluster];
  const nodes = nodeLayouts(record).map(({ name, suffix, nodeAddress }) => ({ name, suffix, address: nodeAddress }));
  if (!existsSync(openPki(folder).file("service-accounts.pub")))
    makePki(folder, { apiserver: [...new Set(apiserver)], nodes }, now());
  const pki = openPki(folder);
  for (const user of [...userNames, ...nodes.map(({ suffix }) => `kubelet${suffix}`)]) {
    const content = kubeconfigOf(user, { name: `homeostat-${record.name}`, server: serverOf(record), pki });
    writeFileSync(componentKubeconfig(folder, user), content, { mode: 0o600 });
  }
}

/** Returns the environment of the components, without proxy settings, which would break their connections to each other. */
function programEnv(env: Environment): Environment {
  return {
    PATH: `${env["PATH"] ?? ""}:/usr/local/sbin:/usr/sbin:/sbin:/usr/bin:/bin`,
    HOME: env["HOME"],
    TMPDIR: env["TMPDIR"],
  };
}
