import { join } from "node:path";
import { type ApiAccess, respondsOk } from "./api.ts";
import type { Binary } from "../builds/binaries.ts";
import type { Layout } from "../records/layout.ts";
import { openPki } from "../certificates/pki.ts";
import { type Started, untilReady } from "./processes.ts";
import { type ClusterRecord, clusterPaths } from "../records/state.ts";

/** Options of a control plane. */
export interface StartContext {
  readonly record: ClusterRecord;
  readonly folder: string;
  readonly layout: Layout;
  /** Additional flags of the API server. */
  readonly apiserverFlags: readonly string[];
  readonly signal?: AbortSignal | undefined;
  readonly report: (line: string) => void;
  /** Starts a program and records it. */
  readonly launch: (component: string, command: string, args: readonly string[]) => Promise<Started>;
}

/** Starts etcd and the API server and, unless only the API is needed, the controller manager and the scheduler. */
export async function startControlPlane(context: StartContext): Promise<void> {
  const { record, folder, signal, launch } = context;
  const binary = (name: Binary): string => join(record.binaries, name);
  const api = adminAccess(record, folder);

  // The API server waits for etcd by itself, so both start at once.
  const etcd = await launch("etcd", binary("etcd"), etcdFlags(context));
  const apiserver = await launch("kube-apiserver", binary("kube-apiserver"), apiserverFlags(context));
  await untilReady(
    apiserver,
    async () => {
      if (etcd.ended() !== undefined) await untilReady(etcd, async () => false, { timeoutMs: 0, signal });
      return respondsOk(api, "/readyz", signal);
    },
    { timeoutMs: 90_000, signal },
  );
  await untilReady(apiserver, async () => respondsOk(api, "/api/v1/namespaces/default", signal), {
    timeoutMs: 30_000,
    signal,
  });
  if (record.kind === "apiserver") return;

  const manager = await launch(
    "kube-controller-manager",
    binary("kube-controller-manager"),
    controllerManagerFlags(context),
  );
  const scheduler = await launch("kube-scheduler", binary("kube-scheduler"), schedulerFlags(context));
  const healthy = async (port: number): Promise<boolean> =>
    respondsOk({ server: `https://127.0.0.1:${port}`, ca: api.ca }, "/healthz", signal);
  const options = { timeoutMs: 60_000, signal };
  await untilReady(manager, async () => healthy(record.ports.controllerManager), options);
  await untilReady(scheduler, async () => healthy(record.ports.scheduler), options);
  // Pods are rejected in a namespace until the controller manager has created its service account.
  const account = "/api/v1/namespaces/default/serviceaccounts/default";
  await untilReady(manager, async () => respondsOk(api, account, signal), options);
}

/** Returns the URL of a cluster's API server. */
export function serverOf(record: ClusterRecord): string {
  return `https://${record.address}:${record.ports.apiserver}`;
}

/** Returns the administrator's access to a cluster. */
export function adminAccess(
  record: ClusterRecord,
  folder: string,
): ApiAccess & { ca: string; cert: string; key: string } {
  const pki = openPki(folder);
  return { server: serverOf(record), ca: pki.read("ca.crt"), cert: pki.read("admin.crt"), key: pki.read("admin.key") };
}

/** Returns the path of the kubeconfig of a component. */
export function componentKubeconfig(folder: string, user: string): string {
  return user === "admin" ? clusterPaths(folder).kubeconfig : join(folder, `${user}.kubeconfig`);
}

function etcdFlags({ record, folder }: StartContext): string[] {
  const { file } = openPki(folder);
  const client = `https://127.0.0.1:${record.ports.etcd}`;
  const peer = `https://127.0.0.1:${record.ports.etcdPeer}`;
  return [
    "--name=etcd-1",
    `--data-dir=${record.dataFolder}`,
    // Data need not survive a power failure, and fsync is most of the work of etcd.
    "--unsafe-no-fsync",
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=etcd-1=${peer}`,
    `--cert-file=${file("etcd.crt")}`,
    `--key-file=${file("etcd.key")}`,
    "--client-cert-auth",
    `--trusted-ca-file=${file("etcd-ca.crt")}`,
    `--peer-cert-file=${file("etcd.crt")}`,
    `--peer-key-file=${file("etcd.key")}`,
    "--peer-client-cert-auth",
    `--peer-trusted-ca-file=${file("etcd-ca.crt")}`,
    "--log-level=warn",
  ];
}

function apiserverFlags({ record, folder, layout, apiserverFlags: more }: StartContext): string[] {
  const { file } = openPki(folder);
  return [
    `--etcd-servers=https://127.0.0.1:${record.ports.etcd}`,
    `--etcd-cafile=${file("etcd-ca.crt")}`,
    `--etcd-certfile=${file("etcd-client.crt")}`,
    `--etcd-keyfile=${file("etcd-client.key")}`,
    `--bind-address=${record.address}`,
    `--advertise-address=${layout.advertised}`,
    `--secure-port=${record.ports.apiserver}`,
    `--tls-cert-file=${file("apiserver.crt")}`,
    `--tls-private-key-file=${file("apiserver.key")}`,
    `--client-ca-file=${file("ca.crt")}`,
    `--service-account-key-file=${file("service-accounts.pub")}`,
    `--service-account-signing-key-file=${file("service-accounts.key")}`,
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-cluster-ip-range=${layout.services}`,
    "--authorization-mode=Node,RBAC",
    "--allow-privileged=true",
    "--kubelet-preferred-address-types=InternalIP",
    `--kubelet-client-certificate=${file("admin.crt")}`,
    `--kubelet-client-key=${file("admin.key")}`,
    `--kubelet-certificate-authority=${file("ca.crt")}`,
    // Aggregated API servers (APIService) accept requests with this certificate as authenticated.
    `--requestheader-client-ca-file=${file("front-proxy-ca.crt")}`,
    "--requestheader-allowed-names=front-proxy-client",
    "--requestheader-username-headers=X-Remote-User",
    "--requestheader-group-headers=X-Remote-Group",
    "--requestheader-extra-headers-prefix=X-Remote-Extra-",
    `--proxy-client-cert-file=${file("front-proxy-client.crt")}`,
    `--proxy-client-key-file=${file("front-proxy-client.key")}`,
    // Without a controller manager there are no service accounts, and no pod could be created.
    ...(record.kind === "apiserver" ? ["--disable-admission-plugins=ServiceAccount"] : []),
    ...more,
  ];
}

function controllerManagerFlags({ record, folder, layout }: StartContext): string[] {
  const { file } = openPki(folder);
  return [
    ...commonFlags(folder, "controller-manager", record.ports.controllerManager),
    `--service-account-private-key-file=${file("service-accounts.key")}`,
    `--root-ca-file=${file("ca.crt")}`,
    "--use-service-account-credentials=true",
    "--allocate-node-cidrs=true",
    `--cluster-cidr=${layout.pods}`,
    `--service-cluster-ip-range=${layout.services}`,
    `--cluster-signing-cert-file=${file("ca.crt")}`,
    `--cluster-signing-key-file=${file("ca.key")}`,
  ];
}

function schedulerFlags({ record, folder }: StartContext): string[] {
  return commonFlags(folder, "scheduler", record.ports.scheduler);
}

function commonFlags(folder: string, user: string, port: number): string[] {
  const { file } = openPki(folder);
  const kubeconfig = componentKubeconfig(folder, user);
  return [
    `--kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    "--bind-address=127.0.0.1",
    `--secure-port=${port}`,
    `--tls-cert-file=${file("local-server.crt")}`,
    `--tls-private-key-file=${file("local-server.key")}`,
    "--leader-elect=false",
    // The default limit of 20 requests per second protects a shared API server, and costs seconds at every start.
    "--kube-api-qps=1000",
    "--kube-api-burst=2000",
  ];
}
