import type { CommandName } from "./arguments.ts";
import { versions } from "./versions.ts";

const name = "  --name N           which cluster; several run side by side (default: default)";
const start = `${name}
  --port P           the port of the API server (default: a free one)
  --apiserver-flag=F a flag for the API server after ours; may be repeated`;

const pages: { readonly [command in CommandName]: string } = {
  build: `npm run kube -- build [control-plane|node|kubectl|helm|all]

Builds Kubernetes ${versions.kubernetes} and etcd ${versions.etcd} from source with Go ${versions.go} or newer, into the cache. What is
there already is not built again.

  control-plane      etcd, kube-apiserver, kube-controller-manager, kube-scheduler (about 8 minutes on 2 cores, once)
  node               those, and kubelet, kube-proxy, CoreDNS ${versions.coredns} and the pause image
  kubectl            kubectl
  helm               helm, to render charts with
  all                everything (default)`,
  up: `npm run kube -- up [--name N] [--port P] [--only apiserver]

Starts a control plane: etcd, API server, controller manager, scheduler. No root needed, no pods run. Builds first when
it has to. The last line on stdout is for the shell:

  eval "$(npm run --silent kube -- up)" && kubectl get namespaces

${start}
  --only apiserver   only etcd and the API server: faster, for tests of the API`,
  node: `npm run kube -- node [--name N] [--port P] [--install]

Starts a control plane and a node beside it: containerd, kubelet, kube-proxy, CoreDNS. Pods, Services and DNS are real.
Needs root on Linux and some Debian packages.

${start}
  --install          installs missing packages with apt-get`,
  image: `npm run kube -- image pause|base|dir … [--name N]

Puts an image into a node without any image registry. Pods must say imagePullPolicy: IfNotPresent, or Never.

  pause              the sandbox image; "node" has done it already
  base               Debian with Python, Locust ${versions.locust}, Redis and Node, under the names locustio/locust:${versions.locust} and
                     :latest, redis:7, node:20
  dir NAME ROOTFS ENTRYPOINT-JSON [CMD-JSON]
                     a folder: image dir docker.io/me/op:1 ./rootfs '["node","/app/main.js"]'

${name}
  --install          installs missing packages with apt-get (base)
  --user UID[:GID]   whom it runs as (dir)
  --env NAME=VALUE   an environment variable; may be given again (dir)`,
  down: `npm run kube -- down [--name N | --all] [--keep]

Stops a cluster and removes all it has: processes, keys, data, the node's network. What crashed ones left goes too.

${name}
  --all              every cluster
  --keep             keeps data and keys; the next "up" (or "node") of that name goes on with them`,
  env: `npm run kube -- env [--name N]

Prints lines for the shell: KUBECONFIG of the cluster, KUBEBUILDER_ASSETS, and a PATH with the kubectl built here.

  eval "$(npm run --silent kube -- env)"

${name}`,
  status: `npm run kube -- status [--name N]

Shows each process of a cluster: number, port, health, log. Exit code 0 when all is well, else 1.

${name}`,
  list: `npm run kube -- list

Shows all clusters.`,
};

const overview = `A real Kubernetes ${versions.kubernetes} on this machine, for tests.

  npm run kube -- build      build it from source, once
  npm run kube -- up         start a control plane; prints export KUBECONFIG=…
  npm run kube -- node       start a control plane and a node that runs real pods (root on Linux)
  npm run kube -- image      put an image into the node
  npm run kube -- env        print the lines for your shell
  npm run kube -- status     what runs, and how it is
  npm run kube -- list       all clusters
  npm run kube -- down       stop and remove

Each has a page: npm run kube -- up --help

The cache is $HOMEOSTAT_CACHE, else $XDG_CACHE_HOME/homeostat, else ~/.cache/homeostat. With KUBEBUILDER_ASSETS the
binaries come from there. More: docs/guides/real-kubernetes.md`;

/** What `--help` prints, for everything or about one command. */
export function helpText(about: CommandName | undefined): string {
  return about === undefined ? overview : pages[about];
}
