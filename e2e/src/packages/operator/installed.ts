// Installs an operator on a real API server and runs it with the service account of its manifests.

import { type Client, connect, type Connection, loadConnection, type UntypedObject } from "@homeostat/client";
import { isRecord, type KubeObject, systemClock } from "@homeostat/core";
import type { RealCluster } from "@homeostat/kube";
import {
  type AccessRecorder,
  accessRecorder,
  createOperatorManager,
  type ManifestOptions,
  type Operator,
  operatorManifests,
} from "@homeostat/operator";
import { type Manager, silentLogger } from "@homeostat/runtime";

/** Applies the manifests of an operator as administrator. Collects warnings of the server in `warnings`. */
export async function install(client: Client, operator: Operator, options: ManifestOptions): Promise<void> {
  for (const object of operatorManifests(operator, options)) await applyObject(client, object);
}

/** Applies an object of any kind; discovery provides the resource type. */
export async function applyObject(
  client: Client,
  object: KubeObject & { readonly [field: string]: unknown },
  options: { readonly dryRun?: boolean } = {},
): Promise<UntypedObject> {
  const slash = object.apiVersion.indexOf("/");
  const group = slash < 0 ? "" : object.apiVersion.slice(0, slash);
  const type = await client.mapper.byKind({ group, version: object.apiVersion.slice(slash + 1), kind: object.kind });
  if (type === undefined) throw new Error(`the API server does not serve ${object.kind}`);
  const { metadata, ...rest } = object;
  return client.apply(
    type,
    { ...rest, metadata: { ...metadata, name: metadata.name ?? "" } },
    {
      fieldManager: "e2e-install",
      ...options,
    },
  );
}

/** A running manager and its recorded requests. */
export interface Running {
  readonly manager: Manager;
  readonly recorder: AccessRecorder;
  stop(): Promise<void>;
}

/** Runs an operator with its service account and records every request. */
export async function runAs(
  cluster: RealCluster,
  {
    operator,
    namespace,
    instance = operator.name,
    watchNamespaces = [],
  }: { operator: Operator; namespace: string; instance?: string; watchNamespaces?: readonly string[] },
): Promise<Running> {
  const recorder = accessRecorder();
  const sockets = connect(await accountConnection(cluster, { namespace, account: instance }));
  const manager = createOperatorManager(operator, {
    connection: recorder.layer(sockets),
    run: {
      namespace,
      instance,
      watchNamespaces,
      leaderElect: true,
      metricsBindAddress: "0",
      healthProbeBindAddress: "0",
      webhookPort: 0,
    },
    election: { trustMissing: true, leaseDurationMs: 4_000, renewDeadlineMs: 3_000, retryPeriodMs: 500 },
    webhooks: { host: "127.0.0.1", pollMs: 500 },
    log: silentLogger,
    env: { POD_NAME: `${instance}-0` },
  });
  const stopping = new AbortController();
  const running = manager.run(stopping.signal);
  return {
    manager,
    recorder,
    async stop() {
      stopping.abort();
      await running.finally(() => sockets.close());
    },
  };
}

async function accountConnection(
  cluster: RealCluster,
  { namespace, account }: { namespace: string; account: string },
): Promise<Connection> {
  const { body, status } = await cluster.request({
    method: "POST",
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`,
    body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { expirationSeconds: 3600 } },
  });
  const token = isRecord(body) && isRecord(body["status"]) ? body["status"]["token"] : undefined;
  if (typeof token !== "string") throw new Error(`no token for ${namespace}/${account}: ${status}`);
  const { server, tls } = await loadConnection({ file: cluster.kubeconfigPath });
  return { server, ...(tls === undefined ? {} : { tls }), identity: { token: { data: token } }, namespace };
}

/** Polls until a condition holds. The error contains the last failure. */
export async function eventually(what: string, holds: () => Promise<boolean> | boolean): Promise<void> {
  for (let i = 0; i < 200; i += 1) {
    if (await holds()) return;
    await systemClock.sleep(100);
  }
  throw new Error(`timed out waiting for ${what}`);
}
