import type { CommandName } from "./arguments.ts";
import { versions } from "../versions.ts";

const name = "  --name N           name of the cluster; several can run in parallel (default: default)";
const start = `${name}
  --port P           port of the API server (default: a free port)
  --apiserver-flag=F additional flag of the API server; may be repeated`;

const pages: { readonly [command in CommandName]: string } = {
  build: `npm run kube -- build [control-plane|node|kubectl|helm|all]

Builds Kubernetes ${versions.kubernetes} and etcd ${versions.etcd} from source with Go ${versions.go} or newer, into the cache. Binaries
in the cache are not built again.

  control-plane      etcd, kube-apiserver, kube-controller-manager, kube-scheduler (about 8 minutes on 2 cores, once)
  node               the control plane, and kubelet, kube-proxy, CoreDNS ${versions.coredns} and the pause image
  kubectl            kubectl
  helm               helm, to render charts
  all                everything (default)`,
  up: `npm run kube -- up [--name N] [--port P] [--only apiserver]

Starts a control plane: etcd, API server, controller manager, scheduler. Needs no root and runs no pods. Builds the
binaries if they are missing. The last line on stdout is for the shell:

  eval "$(npm run --silent kube -- up)" && kubectl get namespaces

${start}
  --only apiserver   only etcd and the API server: faster, for tests of the API`,
  node: `npm run kube -- node [--name N] [--port P] [--nodes COUNT] [--install]

Starts a control plane and a node: containerd, kubelet, kube-proxy, CoreDNS. Pods, Services and DNS are real.
Needs root on Linux and some Debian packages.

${start}
  --nodes COUNT      number of nodes, each in its own Linux namespaces (default: 1)
  --install          install missing packages with apt-get`,
  image: `npm run kube -- image pause|base|dir … [--name N]

Imports an image into all nodes of a cluster without a registry. Pods must set imagePullPolicy to IfNotPresent or Never.

  pause              the sandbox image; "node" imports it, too
  base               Debian with Python, Locust ${versions.locust}, Redis and Node, under the names locustio/locust:${versions.locust} and
                     :latest, redis:7, node:20
  dir NAME ROOTFS ENTRYPOINT-JSON [CMD-JSON]
                     a folder: image dir docker.io/me/op:1 ./rootfs '["node","/app/main.js"]'

${name}
  --install          install missing packages with apt-get (base)
  --user UID[:GID]   user and group of the container (dir)
  --env NAME=VALUE   environment variable; may be repeated (dir)`,
  down: `npm run kube -- down [--name N | --all] [--keep]

Stops a cluster and removes everything: processes, keys, data, the node's network. Also removes leftovers of killed processes.

${name}
  --all              every cluster
  --keep             keep data and keys; the next "up" (or "node") with that name uses them`,
  env: `npm run kube -- env [--name N]

Prints lines for the shell: KUBECONFIG of the cluster, KUBEBUILDER_ASSETS, and a PATH with the kubectl built here.

  eval "$(npm run --silent kube -- env)"

${name}`,
  status: `npm run kube -- status [--name N]

Shows each process of a cluster: process ID, port, health, log. The exit code is 0 if all are healthy, else 1.

${name}`,
  list: `npm run kube -- list

Shows all clusters.`,
};

const overview = `A real Kubernetes ${versions.kubernetes} on this machine, for tests.

  npm run kube -- build      build the binaries from source, once
  npm run kube -- up         start a control plane; prints export KUBECONFIG=…
  npm run kube -- node       start a control plane and a node that runs real pods (root on Linux)
  npm run kube -- image      import an image into the node
  npm run kube -- env        print environment variables for your shell
  npm run kube -- status     show the processes of a cluster and their health
  npm run kube -- list       show all clusters
  npm run kube -- down       stop and remove a cluster

Help for a command: npm run kube -- up --help

The cache is $HOMEOSTAT_CACHE, else $XDG_CACHE_HOME/homeostat, else ~/.cache/homeostat. If KUBEBUILDER_ASSETS is set,
binaries come from that folder. More: docs/guides/real-kubernetes.md`;

/** Returns the output of `--help`, in general or for one command. */
export function helpText(about: CommandName | undefined): string {
  return about === undefined ? overview : pages[about];
}
