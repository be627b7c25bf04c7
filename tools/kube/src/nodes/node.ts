import { mkdirSync, readFileSync, statfsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { respondsOk, requestApi } from "../control-plane/api.ts";
import { makeCgroup, removeCgroup } from "./cgroups.ts";
import { type StartContext, adminAccess, componentKubeconfig } from "../control-plane/control-plane.ts";
import { type NodeLayout, nodeLayouts } from "../records/layout.ts";
import { hasMachine, insideMachine, removeFirewall, removeLink } from "./machine.ts";
import { containerdSocket, nodeFiles, nodeFolder, reachableNameServers } from "./node-config.ts";
import { type Started, untilReady } from "../control-plane/processes.ts";
import { tryRun } from "../processes/run.ts";
import { list, text } from "../cache/shape.ts";
import type { ClusterRecord } from "../records/state.ts";

/** Writes the configuration of a node's programs. Must run before its machine is started. */
export function writeNodeFiles({ folder }: StartContext, layout: NodeLayout): void {
  const overlay = 0x794c7630;
  const settings = {
    folder,
    layout,
    cgroupRoot: `/${cgroupName(layout)}`,
    // An overlay file system cannot be stacked on another: inside a container, images must be copied.
    snapshotter: statfsSync(folder).type === overlay ? ("native" as const) : ("overlayfs" as const),
    nameServers:
      ["/etc/resolv.conf", "/run/systemd/resolve/resolv.conf"]
        .map((path) => reachableNameServers(readOrEmpty(path)))
        .find((servers) => servers.length > 0) ?? [],
  };
  for (const [name, content] of nodeFiles(settings)) {
    const path = join(nodeFolder(folder, layout), name);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, content, { mode: 0o600 });
  }
}

/** Starts containerd, the kubelet, kube-proxy and CoreDNS in the machine of a node, and waits until pods can run. */
export async function startNode(
  context: StartContext,
  layout: NodeLayout,
  importPause: (ctr: Ctr) => Promise<void>,
): Promise<void> {
  const { signal, report } = context;
  const folder = nodeFolder(context.folder, layout);
  makeCgroup(cgroupName(layout));
  const inside = async (component: string, command: string, args: readonly string[]): Promise<Started> =>
    context.launch(`${component}${layout.suffix}`, ...insideMachine(context.record, layout, [command, ...args]));
  const binary = (name: string): string => join(context.record.binaries, name);
  const ctr = ctrOf(context.record, layout, signal);

  const containerd = await inside("containerd", "containerd", ["--config", join(folder, "containerd.toml")]);
  await untilReady(containerd, async () => (await ctr(["version"])).code === 0, { timeoutMs: 20_000, signal });
  await importPause(ctr);
  report(`starting ${layout.name}`);
  const kubelet = await inside("kubelet", binary("kubelet"), [
    `--config=${join(folder, "kubelet.yaml")}`,
    `--kubeconfig=${componentKubeconfig(context.folder, `kubelet${layout.suffix}`)}`,
    `--hostname-override=${layout.name}`,
    `--node-ip=${layout.nodeAddress}`,
  ]);
  const proxy = await inside("kube-proxy", binary("kube-proxy"), [
    `--config=${join(folder, "kube-proxy.yaml")}`,
    `--hostname-override=${layout.name}`,
  ]);
  const coredns = await inside("coredns", binary("coredns"), ["-conf", join(folder, "Corefile")]);
  const options = { timeoutMs: 60_000, signal };
  const responses = async (port: number, path: string): Promise<boolean> =>
    respondsOk({ server: `http://${layout.nodeAddress}:${port}` }, path, signal);
  await untilReady(proxy, async () => responses(10256, "/healthz"), options);
  await untilReady(coredns, async () => responses(8181, "/ready"), options);
  await untilReady(kubelet, async () => isNodeReady(context.record, context.folder, layout, signal), options);
}

/** Runs ctr with the containerd of a node. */
export type Ctr = (args: readonly string[]) => Promise<{ code: number; stdout: string; stderr: string }>;

/** Returns the `ctr` command of a node, with the namespace of the kubelet. */
export function ctrOf(record: ClusterRecord, layout: NodeLayout, signal?: AbortSignal): Ctr {
  return async (args) =>
    tryRun(...insideMachine(record, layout, ["ctr", "--address", containerdSocket, "--namespace", "k8s.io", ...args]), {
      signal,
    });
}

/** Returns the `ctr` commands of all nodes that run. */
export function ctrsOf(record: ClusterRecord, signal?: AbortSignal): Ctr[] {
  return nodeLayouts(record)
    .filter((layout) => hasMachine(record, layout))
    .map((layout) => ctrOf(record, layout, signal));
}

/** Reports whether a node is ready and has no taints. */
export async function isNodeReady(
  record: ClusterRecord,
  folder: string,
  { name, nodeAddress }: NodeLayout,
  signal?: AbortSignal,
): Promise<boolean> {
  const access = adminAccess(record, folder);
  const path = `/api/v1/nodes/${name}`;
  // The node status in the API server may be outdated: the kubelet itself must respond, too.
  const kubelet = { ...access, server: `https://${nodeAddress}:10250` };
  if (!(await respondsOk(kubelet, "/healthz", signal)) || !(await respondsOk(access, path, signal))) return false;
  const { body } = await requestApi(access, { path, signal });
  const ready = list(body, "status", "conditions").find((condition) => text(condition, "type") === "Ready");
  return text(ready, "status") === "True" && list(body, "spec", "taints").length === 0;
}

/** Removes what the nodes of a cluster left outside their machines. */
export async function removeNodes(record: ClusterRecord): Promise<void> {
  for (const layout of nodeLayouts(record)) {
    await removeLink(layout);
    await removeCgroup(cgroupName(layout));
  }
  const [first] = nodeLayouts(record);
  if (first !== undefined) await removeFirewall(first);
}

/** Named like the veth interface, which is unique on a machine: clusters of the same name may be in different caches. */
function cgroupName(layout: NodeLayout): string {
  return layout.hostLink;
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
