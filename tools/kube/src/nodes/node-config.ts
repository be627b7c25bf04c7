import { join } from "node:path";
import type { NodeLayout } from "../records/layout.ts";

/** Sandbox image of every pod, built by this tool. */
export const pauseImage = "docker.io/local/pause:1";

/** Address of containerd, seen from inside the node. */
export const containerdSocket = "/run/containerd/containerd.sock";

/** Inputs of the configuration files. */
export interface NodeSettings {
  /** Folder of the cluster, with its keys. */
  readonly folder: string;
  readonly layout: NodeLayout;
  readonly cgroupRoot: string;
  readonly snapshotter: "overlayfs" | "native";
  /** Name servers of this machine that can be reached from inside the node. */
  readonly nameServers: readonly string[];
}

/** Returns the folder of a node in the folder of its cluster. */
export function nodeFolder(clusterFolder: string, { name }: Pick<NodeLayout, "name">): string {
  return join(clusterFolder, name);
}

/** Returns the configuration files of the node's programs: paths below the node's folder, and contents. */
export function nodeFiles(settings: NodeSettings): ReadonlyMap<string, string> {
  return new Map([
    ["cni/10-pods.conflist", cniConfig(settings)],
    ["containerd.toml", containerdConfig(settings)],
    ["kubelet.yaml", kubeletConfig(settings)],
    ["kube-proxy.yaml", kubeProxyConfig(settings)],
    ["Corefile", corefile(settings)],
    ["resolv.conf", settings.nameServers.map((server) => `nameserver ${server}\n`).join("")],
  ]);
}

// One veth pair per pod and routes between them, no bridge: all traffic passes the network stack of the node, so that Services
// work between pods of one node even if the kernel does not filter bridged traffic.
function cniConfig({ folder, layout }: NodeSettings): string {
  const ipam = {
    type: "host-local",
    dataDir: join(nodeFolder(folder, layout), "ipam"),
    ranges: [[{ subnet: layout.nodePods }]],
    routes: [{ dst: "0.0.0.0/0" }],
  };
  const plugins = [
    { type: "ptp", ipam },
    { type: "portmap", capabilities: { portMappings: true } },
  ];
  return JSON.stringify({ cniVersion: "1.0.0", name: "pods", plugins }, undefined, 2);
}

function containerdConfig({ folder: clusterFolder, layout, snapshotter }: NodeSettings): string {
  const folder = nodeFolder(clusterFolder, layout);
  const cri = `plugins."io.containerd.grpc.v1.cri"`;
  return `version = 2
root = ${JSON.stringify(join(folder, "containerd"))}
state = "/run/containerd"

[grpc]
  address = "${containerdSocket}"

[${cri}]
  # A machine without CAP_SYS_RESOURCE cannot make a process less likely to be killed than it is itself.
  restrict_oom_score_adj = true
  sandbox_image = "${pauseImage}"
  [${cri}.containerd]
    snapshotter = "${snapshotter}"
  [${cri}.cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = ${JSON.stringify(join(folder, "cni"))}
`;
}

function kubeletConfig({ folder, layout, cgroupRoot }: NodeSettings): string {
  const pki = (name: string): string => JSON.stringify(join(folder, "pki", name));
  const own = (name: string): string => JSON.stringify(join(nodeFolder(folder, layout), name));
  return `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
failCgroupV1: false
failSwapOn: false
cgroupDriver: cgroupfs
cgroupRoot: ${cgroupRoot}
enforceNodeAllocatable: []
containerRuntimeEndpoint: unix://${containerdSocket}
clusterDNS: [${layout.nodeAddress}]
clusterDomain: cluster.local
resolvConf: ${own("resolv.conf")}
podLogsDir: ${own("pod-logs")}
authentication:
  anonymous: { enabled: false }
  webhook: { enabled: true }
  x509: { clientCAFile: ${pki("ca.crt")} }
authorization: { mode: Webhook }
tlsCertFile: ${pki(`kubelet${layout.suffix}.crt`)}
tlsPrivateKeyFile: ${pki(`kubelet${layout.suffix}.key`)}
# Images cannot be pulled again here, and a developer's disk is often nearly full.
imageGCHighThresholdPercent: 100
evictionHard: {}
`;
}

function kubeProxyConfig({ folder, layout }: NodeSettings): string {
  return `apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
mode: nftables
clusterCIDR: ${layout.pods}
clientConnection: { kubeconfig: ${JSON.stringify(join(folder, "kube-proxy.kubeconfig"))} }
# The size of the connection table is the whole machine's, and not ours to change.
conntrack: { maxPerCore: 0, min: 0 }
`;
}

function corefile({ folder, layout, nameServers }: NodeSettings): string {
  const upstream = JSON.stringify(join(nodeFolder(folder, layout), "resolv.conf"));
  const forward = nameServers.length === 0 ? "" : `  forward . ${upstream}\n`;
  return `.:53 {
  bind ${layout.nodeAddress}
  kubernetes cluster.local in-addr.arpa {
    kubeconfig ${JSON.stringify(join(folder, "kubeconfig"))}
    pods insecure
    ttl 5
  }
${forward}  ready ${layout.nodeAddress}:8181
  errors
}
`;
}

/**
 * Returns the name servers in a resolv.conf that are not on loopback.
 *
 * Inside the node, loopback is the node itself, where no name server listens.
 */
export function reachableNameServers(resolvConf: string): string[] {
  return resolvConf.split("\n").flatMap((line) => {
    const [, server] = /^\s*nameserver\s+(\S+)/.exec(line) ?? [];
    return server === undefined || server.startsWith("127.") || server === "::1" ? [] : [server];
  });
}
