// The machine inside this machine on which a node's programs run: namespaces of its own for the network, the mounts and
// the processes. So the node cannot see or change our interfaces, firewall tables and mounts, several nodes can live
// side by side, and when the first process of the machine ends, the kernel ends and removes everything else in it.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { StartContext } from "./control-plane.ts";
import { NodeRequirementsError } from "./errors.ts";
import { type NodeLayout, nodeLayout } from "./layout.ts";
import { identify } from "./process-identity.ts";
import { untilReady } from "./processes.ts";
import { run, tryRun } from "./run.ts";
import type { ClusterRecord, ComponentProcess } from "./state.ts";

/** The kernel settings a kubelet insists on. It is shown files that say so, and the machine's own stay as they are. */
const kernelSettings: ReadonlyMap<string, string> = new Map([
  ["vm/overcommit_memory", "1"],
  ["vm/panic_on_oom", "0"],
  ["kernel/panic", "10"],
  ["kernel/panic_on_oops", "1"],
  ["kernel/keys/root_maxkeys", "1000000"],
  ["kernel/keys/root_maxbytes", "25000000"],
]);

/** Places that programs of a node use whatever they are told. In the machine each is a fresh one. */
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

/** Starts the machine and lays the cable to it. Throws when this one does not allow namespaces. */
export async function startMachine(context: StartContext, layout: NodeLayout): Promise<ComponentProcess> {
  const { folder, signal, launch } = context;
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
  const machine = await launch("machine", "unshare", [...namespaces, "sh", "-c", setup, "machine", folder]);
  await untilReady(machine, async () => existsSync(ready), { timeoutMs: 10_000, signal });
  await layCable(machine.process.pid, layout, signal);
  return firstProcess(machine.process.pid);
}

/** The first process of the machine: when it is gone, everything in the machine is gone. */
function firstProcess(unsharePid: number): ComponentProcess {
  const children = readFileSync(`/proc/${unsharePid}/task/${unsharePid}/children`, "utf8");
  const identity = identify(Number(children.trim().split(" ")[0]));
  if (identity === undefined) throw new NodeRequirementsError("The node's machine ended as soon as it was started.");
  return { component: "machine-init", ...identity };
}

/** The command that runs another one inside the machine. */
export function insideMachine(record: ClusterRecord, command: string, args: readonly string[]): [string, string[]] {
  const machine = record.processes.find((one) => one.component === "machine");
  const namespaces = `/proc/${machine?.pid ?? 0}/ns`;
  const enter = [`--net=${namespaces}/net`, `--mount=${namespaces}/mnt`, `--pid=${namespaces}/pid_for_children`];
  return ["nsenter", [...enter, "--", command, ...args]];
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
  // So that programs on this machine reach pods and Services as a pod would.
  await host("route", "add", layout.pods, "via", nodeAddress);
  await host("route", "add", layout.services, "via", nodeAddress);
  await shareInternet(layout, signal);
}

/** Lets pods reach what this machine reaches, under its address. Without it they still reach each other and us. */
async function shareInternet(layout: NodeLayout, signal: AbortSignal | undefined): Promise<void> {
  const table = tableName(layout);
  const rules = `
    table ip ${table} {
      chain postrouting {
        type nat hook postrouting priority srcnat;
        ip saddr ${layout.range} oifname != "${layout.hostLink}" masquerade
      }
    }`;
  await run("nft", ["-f", "-"], { input: rules, signal });
  writeFileSync("/proc/sys/net/ipv4/ip_forward", "1\n");
}

/** Takes away what the machine left on this one: the cable, if the kernel has not yet, and the firewall table. */
export async function removeMachineNetwork(slot: number): Promise<void> {
  const layout = nodeLayout(slot);
  await tryRun("ip", ["link", "delete", layout.hostLink]);
  await tryRun("nft", ["delete", "table", "ip", tableName(layout)]);
}

function tableName(layout: NodeLayout): string {
  return layout.hostLink.replace("-", "_");
}
