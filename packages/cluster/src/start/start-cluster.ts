import {
  adminIdentity,
  type ApiAddress,
  ApiServer,
  type AuditSink,
  type ClientIdentity,
  type DataNotice,
  type Endpoint,
  openAuditLog,
  type ServiceResolver,
  standardOptions,
  type StoreSnapshot,
  writeKubeconfig as writeKubeconfigFile,
} from "@homeostat/apiserver";
import { type Client, type Connection, createClient, type Transport } from "@homeostat/client";
import {
  ArgumentError,
  type Clock,
  formatGroupResource,
  type JsonRecord,
  parseApiVersion,
  type Random,
  systemClock,
  systemRandom,
  TurnQueue,
} from "@homeostat/core";
import { type Logger, silentLogger } from "@homeostat/runtime";
import { ClusterMetrics, type MetricObject } from "../metrics/cluster-metrics.ts";
import { metricsApi } from "../metrics/metrics-api.ts";
import { Disks } from "../node/disks.ts";
import { type LocalAddress, Network } from "../node/network.ts";
import type { AppModel } from "../node/program.ts";
import type { NodeOptions, SimulatedNode } from "./start-node.ts";
import { localTransport } from "./local-transport.ts";
import { nodeLogs } from "./log-provider.ts";
import { podProxy } from "./pod-proxy.ts";
import { podStream } from "./pod-stream.ts";
import { LocalServices } from "./local-services.ts";
import { clusterResolver } from "./resolve-service.ts";

/** Options of one node of a cluster. */
export type ClusterNodeOptions = Omit<NodeOptions, "server" | "clock" | "random" | "log" | "network" | "disks">;

/** Options of {@link startCluster}; all are optional. */
export interface ClusterOptions {
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  /** Logger of controllers and nodes. Default: discards everything. */
  readonly log?: Logger | undefined;
  /** Directory of the persistent state. Default: the state is in memory and lost when the process ends. */
  readonly data?: string | undefined;
  /** Initial state, from `cluster.server.snapshot()`. Cannot be combined with `data`. */
  readonly from?: StoreSnapshot<JsonRecord> | undefined;
  /** True if a write to `data` is acknowledged only after it is synced to disk. Default: true. */
  readonly fsync?: boolean | undefined;
  /** Default: a free port. */
  readonly port?: number | undefined;
  /** Default: 127.0.0.1. Any non-loopback address requires `isOpenToNetwork`. */
  readonly host?: string | undefined;
  readonly isOpenToNetwork?: boolean | undefined;
  /** `api` starts the API server alone, as envtest does: no controller acts on objects. Default: `all`. */
  readonly parts?: "all" | "api" | undefined;
  /** True to create a storage class with simulated volumes, so that claims are bound. Default: true. */
  readonly hasStorage?: boolean | undefined;
  /** The simulated nodes. Default: one. */
  readonly nodes?: readonly ClusterNodeOptions[] | undefined;
  /** App models for every node, tried in this order after the node's own ones and before the built-in `http-echo`. */
  readonly models?: readonly AppModel[] | undefined;
  /**
   * Resolves Services of webhooks and aggregated API servers that run on this machine. Simulated pods are found
   * without it.
   */
  readonly resolveService?: ServiceResolver | undefined;
  /** Takes an audit event of each request, also of those of the cluster's own controllers and nodes. Default: none. */
  readonly audit?: AuditSink | undefined;
  /** File to which audit events are appended, one JSON document per line; `-` for standard output. Default: none. */
  readonly auditLogPath?: string | undefined;
  /** Called with errors that no caller waits for. Default: they are logged. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Name of a Service. */
export interface ServiceName {
  readonly namespace: string;
  readonly name: string;
}

/** A Kubernetes cluster in this process. Disposing of it releases all sockets and timers. */
export interface Cluster extends AsyncDisposable, ApiAddress {
  readonly server: ApiServer;
  readonly nodes: readonly SimulatedNode[];
  /** Metrics for `kubectl top` and for HorizontalPodAutoscalers. Nothing is measured: a test sets the values. */
  readonly metrics: ClusterMetrics;
  /** Returns a kubeconfig; by default for the cluster administrator. */
  kubeconfig(identity?: ClientIdentity): string;
  /** Writes an administrator kubeconfig that only the current user can read. */
  writeKubeconfig(path: string): Promise<void>;
  /** Returns a connection for clients; by default as the cluster administrator. */
  connection(identity?: ClientIdentity): Connection;
  /**
   * Returns a transport without a socket, for a program in this process that uses a `FakeClock`, which does not wait
   * for sockets. Faults affect it like requests over a socket.
   */
  transport(identity?: ClientIdentity): Transport;
  /**
   * Sends requests of the API server to a Service, such as those to its webhooks, to a port on this machine, until the result is disposed of. The
   * Service need not exist.
   */
  serveService(service: ServiceName, address: Endpoint): Disposable;
  /** Returns the loopback address of a port of a pod or Service; undefined when nothing listens there. */
  addressOf(ip: string, port: number): LocalAddress | undefined;
  stop(): Promise<void>;
}

/**
 * Starts a Kubernetes cluster in this process: an API server on loopback, its controllers, and simulated nodes.
 *
 * Resolves when the API server responds to requests. Controllers and nodes start in the background.
 *
 * @example
 * await using cluster = await startCluster();
 * const client = createClient(cluster.connection());
 */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const { clock = systemClock, random = systemRandom, parts = "all", log = silentLogger } = options;
  const nodes: SimulatedNode[] = [];
  const network = new Network();
  const turns = new TurnQueue();
  const onError = options.onError ?? ((error: unknown) => log.error("Cluster component failed", { error }));
  const metrics = new ClusterMetrics();
  const localVersions = metricsApi(metrics, { clock, resourceOf: (object) => resourceOf(server, object) });
  const auditLog = options.auditLogPath === undefined ? undefined : openAuditLog(options.auditLogPath);
  const audit = auditSink(options.audit, auditLog?.write);
  const localServices = new LocalServices(options.resolveService);
  const serverParts = { clock, random, onError, nodes: () => nodes, network, log, localVersions, audit, localServices };
  const server: ApiServer = await openServer(options, serverParts);
  const { port, host, isOpenToNetwork } = options;
  const stopping = new AbortController();
  const clients: Client[] = [];
  const running: Promise<unknown>[] = [];
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopped ??= end());
  const end = async (): Promise<void> => {
    stopping.abort(new Error("cluster stopped"));
    await Promise.allSettled(running);
    for (const node of nodes) await node[Symbol.asyncDispose]();
    for (const client of clients) client.close();
    await server.stop();
    auditLog?.[Symbol.dispose]();
  };
  const connectionTo = (url: string, identity: ClientIdentity = adminIdentity): Connection => {
    const { cert, key } = server.certificates.client(identity);
    return {
      server: url,
      tls: { certificateAuthority: { data: server.certificates.ca } },
      identity: { clientCertificate: { data: cert }, clientKey: { data: key } },
      namespace: "default",
    };
  };
  const transport = (identity: ClientIdentity = adminIdentity): Transport =>
    localTransport(server, identity, { clock, random, turns, faults: { faults: server.faults, clock } });
  const client = (identity: ClientIdentity): Client => {
    const made = createClient(localTransport(server, identity, { clock, random, turns }), { clock, random });
    clients.push(made);
    return made;
  };
  try {
    const address = await server.listen({
      ...(port === undefined ? {} : { port }),
      ...(host === undefined ? {} : { host }),
      ...(isOpenToNetwork === undefined ? {} : { isOpenToNetwork }),
    });
    if (parts === "all") {
      const { ca } = server.certificates;
      const { hasStorage = true } = options;
      const controlPlane = { clock, random, log, ca, hasStorage };
      const onNodeStarted = (node: SimulatedNode): void => void nodes.push(node);
      const nodeOptions = (options.nodes ?? [{}]).map((node) => ({
        ...node,
        models: [...(node.models ?? []), ...(options.models ?? [])],
      }));
      const components = {
        controlPlane,
        client,
        nodes: nodeOptions,
        network,
        disks: new Disks(),
        onNodeStarted,
        onError,
      };
      // Loaded after the API server is listening, so that a caller who needs only the server does not wait for the
      // controllers.
      running.push(
        import("./run-components.ts").then(({ runComponents }) => runComponents(components, stopping.signal)),
      );
    }
    return {
      ...address,
      server,
      nodes,
      metrics,
      kubeconfig: (identity) => server.kubeconfig(identity),
      writeKubeconfig: (path) => {
        const { certificates } = server;
        const client = certificates.client(adminIdentity);
        return writeKubeconfigFile(path, { server: address.url, ca: certificates.ca, client });
      },
      connection: (identity) => connectionTo(address.url, identity),
      transport,
      serveService: (service, address) => localServices.add(service, address),
      addressOf: (ip, at) => network.addressOf(ip, at),
      stop,
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function openServer(
  { data, fsync, from, parts: running }: ClusterOptions,
  parts: {
    readonly clock: Clock;
    readonly random: Random;
    readonly onError: (error: unknown) => void;
    readonly nodes: () => readonly SimulatedNode[];
    readonly network: Network;
    readonly log: Logger;
    readonly localVersions: ReturnType<typeof metricsApi>;
    readonly audit: AuditSink | undefined;
    readonly localServices: LocalServices;
  },
): Promise<ApiServer> {
  const { clock, random, onError, nodes, network, log, localVersions, audit, localServices } = parts;
  const whole = standardOptions({
    clock,
    random,
    onError,
    nodes: { ...nodeLogs(nodes), proxy: podProxy((ip, at) => network.addressOf(ip, at)), stream: podStream },
    hasControllers: running !== "api",
    observer: { panicked: (_request, error) => onError(error) },
    resolveService: clusterResolver(network, (service) => localServices.resolve(service)),
    localVersions,
    ...(audit === undefined ? {} : { audit }),
  });
  if (data === undefined) return new ApiServer({ ...whole, ...(from === undefined ? {} : { from }) });
  if (from !== undefined) {
    throw new ArgumentError({ argument: "from", problem: "cannot be combined with data, which already has a state." });
  }
  const onNotice = ({ file, message }: DataNotice): void => log.warn("Storage notice", { file, message });
  return ApiServer.open(data, { ...whole, onNotice, ...(fsync === undefined ? {} : { fsync }) });
}

/** Returns the name of the resource of an object, such as `ingresses.networking.k8s.io`; undefined if no kind fits. */
function resourceOf({ kinds }: ApiServer, { apiVersion, kind }: MetricObject): string | undefined {
  const { group } = parseApiVersion(apiVersion);
  const rows = kinds.groups.find(({ name }) => name === group)?.versions.flatMap(({ resources }) => resources);
  const row = rows?.find((each) => each.kind === kind);
  return row === undefined ? undefined : formatGroupResource(row);
}

/** Returns a sink that passes events to both given ones; undefined when neither is given. */
function auditSink(first: AuditSink | undefined, second: AuditSink | undefined): AuditSink | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  return (event) => {
    first(event);
    second(event);
  };
}
