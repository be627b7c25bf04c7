// The "machine" of a node: its own network, mount and PID namespaces. The node cannot see or change the interfaces, firewall
// tables and mounts of this machine, several nodes can run in parallel, and when the first process of the PID namespace ends, the
// kernel ends and removes everything else in it.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { StartContext } from "../control-plane/control-plane.ts";
import { NodeRequirementsError } from "../errors.ts";
import type { NodeLayout } from "../records/layout.ts";
import { nodeFolder } from "./node-config.ts";
import { identify, type ProcessIdentity } from "../processes/process-identity.ts";
import { untilReady } from "../control-plane/processes.ts";
import { run, tryRun } from "../processes/run.ts";
import type { ClusterRecord, ComponentProcess } from "../records/state.ts";

/** Kernel settings that a kubelet requires. It sees bind-mounted files with these values; the real settings are not changed. */
const kernelSettings: ReadonlyMap<string, string> = new Map([
  ["vm/overcommit_memory", "1"],
  ["vm/panic_on_oom", "0"],
  ["kernel/panic", "10"],
  ["kernel/panic_on_oops", "1"],
  ["kernel/keys/root_maxkeys", "1000000"],
  ["kernel/keys/root_maxbytes", "25000000"],
]);

/** Fixed paths that programs of a node use. In the machine, each is an empty tmpfs. */
const privatePlaces = ["/run/containerd", "/run/netns", "/var/lib/cni", "/var/log/containers"];

const setup = `
set -e
folder=$1
mount --make-rshared /
for place in ${privatePlaces.join(" ")}; do mount -t tmpfs -o mode=755 tmpfs "$place"; done
mount --bind "$folder/kubelet" /var/lib/kubelet
(cd "$folder/kernel" && find . -type f) | while read -r setting; do
  if [ -e "/proc/sys/$setting" ]; then mount --bind "$folder/kernel/$setting" "/proc/sys/$setting"; fi
done
if [ -s "$folder/resolv.conf" ]; then mount --bind "$folder/resolv.conf" "$(readlink -f /etc/resolv.conf)"; fi
echo 1 > /proc/sys/net/ipv4/ip_forward
ip link set lo up
touch "$folder/machine-is-ready"
# The first process of a machine has to bury the dead: "wait" does.
while :; do sleep 86400 & wait; done
`;

/** Starts the machine of a node and connects it by a veth pair. Throws if namespaces are not permitted. */
export async function startMachine(context: StartContext, layout: NodeLayout): Promise<ComponentProcess> {
  const { signal, launch } = context;
  const folder = nodeFolder(context.folder, layout);
  for (const [setting, value] of kernelSettings) {
    const path = join(folder, "kernel", setting);
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, `${value}\n`);
  }
  for (const place of [...privatePlaces, "/var/lib/kubelet", join(folder, "kubelet")])
    mkdirSync(place, { recursive: true });
  const ready = join(folder, "machine-is-ready");
  rmSync(ready, { force: true });

  const namespaces = [
    "--net",
    "--mount",
    "--propagation=private",
    "--pid",
    "--mount-proc",
    "--fork",
    "--kill-child=KILL",
  ];
  const machine = await launch(`machine${layout.suffix}`, "unshare", [
    ...namespaces,
    "sh",
    "-c",
    setup,
    "machine",
    folder,
  ]);
  await untilReady(machine, async () => existsSync(ready), { timeoutMs: 10_000, signal });
  await layCable(machine.process.pid, layout, signal);
  return { component: `machine-init${layout.suffix}`, ...firstProcess(machine.process.pid) };
}

/** The first process of the machine: when it ends, everything in the machine ends. */
function firstProcess(unsharePid: number): ProcessIdentity {
  const children = readFileSync(`/proc/${unsharePid}/task/${unsharePid}/children`, "utf8");
  const identity = identify(Number(children.trim().split(" ")[0]));
  if (identity === undefined)
    throw new NodeRequirementsError("The namespaces of the node ended immediately after the start.");
  return identity;
}

/** Reports whether a node has a machine. A lost node has none. */
export function hasMachine(record: ClusterRecord, layout: NodeLayout): boolean {
  return machineOf(record, layout) !== undefined;
}

/** Returns the command that runs another one inside the machine of a node. */
export function insideMachine(
  record: ClusterRecord,
  layout: NodeLayout,
  command: readonly string[],
): [string, string[]] {
  const namespaces = `/proc/${machineOf(record, layout)?.pid ?? 0}/ns`;
  const enter = [`--net=${namespaces}/net`, `--mount=${namespaces}/mnt`, `--pid=${namespaces}/pid_for_children`];
  return ["nsenter", [...enter, "--", ...command]];
}

function machineOf({ processes }: ClusterRecord, { suffix }: NodeLayout): ComponentProcess | undefined {
  return processes.find((one) => one.component === `machine${suffix}`);
}

async function layCable(pid: number, layout: NodeLayout, signal: AbortSignal | undefined): Promise<void> {
  const host = async (...args: string[]): Promise<string> => run("ip", args, { signal });
  const node = async (...args: string[]): Promise<string> =>
    run("nsenter", [`--net=/proc/${pid}/ns/net`, "ip", ...args], { signal });
  const { hostLink, hostAddress, nodeAddress, linkPrefix } = layout;
  await host("link", "add", hostLink, "type", "veth", "peer", "name", "eth0", "netns", String(pid));
  await host("address", "add", `${hostAddress}/${linkPrefix}`, "dev", hostLink);
  await host("link", "set", hostLink, "up");
  await node("address", "add", `${nodeAddress}/${linkPrefix}`, "dev", "eth0");
  await node("link", "set", "eth0", "up");
  await node("route", "add", "default", "via", hostAddress);
  // Lets programs on this machine, and pods of other nodes, reach these pods.
  await host("route", "add", layout.nodePods, "via", nodeAddress);
}

/** Lets programs on this machine reach Services as a pod would, and lets pods reach the network of this machine. */
export async function connectCluster(first: NodeLayout, signal?: AbortSignal): Promise<void> {
  await run("ip", ["route", "add", first.services, "via", first.nodeAddress], { signal });
  await shareInternet(first, signal);
}

/** Lets pods reach the network of this machine by NAT. Without it, they still reach each other and this machine. */
async function shareInternet(layout: NodeLayout, signal: AbortSignal | undefined): Promise<void> {
  const table = tableName(layout);
  const rules = `
    table ip ${table} {
      chain postrouting {
        type nat hook postrouting priority srcnat;
        ip saddr ${layout.range} ip daddr != ${layout.range} masquerade
      }
    }`;
  await run("nft", ["-f", "-"], { input: rules, signal });
  writeFileSync("/proc/sys/net/ipv4/ip_forward", "1\n");
}

/** Removes the veth interface of a node, if the kernel has not removed it yet. */
export async function removeLink({ hostLink }: NodeLayout): Promise<void> {
  await tryRun("ip", ["link", "delete", hostLink]);
}

/** Removes the firewall table of a cluster. */
export async function removeFirewall(first: NodeLayout): Promise<void> {
  await tryRun("nft", ["delete", "table", "ip", tableName(first)]);
}

function tableName(layout: NodeLayout): string {
  return layout.hostLink.replace("-", "_");
}
