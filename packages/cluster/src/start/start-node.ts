import { setMaxListeners } from "node:events";
import { type Client, type Connection, createClient } from "@homeostat/client";
import { type Clock, type Random, systemClock, systemRandom } from "@homeostat/core";
import type { Taint } from "@homeostat/kubernetes/core/v1";
import { Cache, clientSources, type Logger, silentLogger } from "@homeostat/runtime";
import { CoreEvents, type ObjectEvents } from "../events/core-events.ts";
import { httpEcho } from "../models/http-echo.ts";
import { ClusterConfig } from "../node/cluster-config.ts";
import { sendHeartbeats, type HeartbeatParts, registerNode } from "../node/heartbeat.ts";
import { Kubelet } from "../node/kubelet.ts";
import { defaultDelays, type NodeDelays } from "../node/machine-step.ts";
import { AddressRange, type LocalAddress, Network } from "../node/network.ts";
import { defaultCapacity, kubeletVersion, type NodeDescription } from "../node/node-object.ts";
import type { PodLogOptions } from "../node/pod-logs.ts";
import type { AppModel } from "../node/program.ts";
import type { ImageScript } from "../node/script.ts";

/** Options of {@link startNode}. */
export interface NodeOptions {
  /** The API server: a connection, or a client that the caller closes. */
  readonly server: Connection | Client;
  /** Default: `homeostat-node`. */
  readonly name?: string | undefined;
  /** Default: the system clock. */
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  /** Default: a logger that discards everything. */
  readonly log?: Logger | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly taints?: readonly Taint[] | undefined;
  /** Default: 8 CPUs, 16 Gi of memory, 100 Gi of ephemeral storage, 110 pods. */
  readonly capacity?: Readonly<Record<string, string>> | undefined;
  /** Address of the node. It only appears in objects: nothing listens there. Default: derived from the name. */
  readonly hostIP?: string | undefined;
  /** Range of pod addresses. Default: a /24 range derived from the name. */
  readonly podCidr?: string | undefined;
  /** Network of the pods. Nodes of one cluster must share it. Default: a network of its own. */
  readonly network?: Network | undefined;
  /** Durations of the node's steps. Default: {@link defaultDelays}. */
  readonly delays?: Partial<NodeDelays> | undefined;
  /** App models of the programs in containers, tried in this order before the built-in `http-echo`. */
  readonly models?: readonly AppModel[] | undefined;
  /** Scripts for containers by image. */
  readonly scripts?: readonly ImageScript[] | undefined;
  /** Images that need not be pulled. */
  readonly images?: readonly string[] | undefined;
  /** Log size that is kept per run of a container, in characters. Default: 1 Mi. */
  readonly logCharactersMax?: number | undefined;
}

/**
 * A running simulated node. Disposing of it releases all sockets and timers; the Node object stays, as that of a real
 * node does.
 */
export interface SimulatedNode extends AsyncDisposable {
  readonly name: string;
  readonly network: Network;
  /**
   * Returns the loopback address of a port of a pod, or of a Service by its cluster IP; undefined when nothing
   * listens there.
   */
  addressOf(ip: string, port: number): LocalAddress | undefined;
  /** Reports whether the node runs a pod of that name. */
  hasPod(pod: { readonly namespace: string; readonly name: string }): boolean;
  /**
   * Returns the log of a container, for the `log` subresource. Throws `PodLogError` when pod, container or log does
   * not exist.
   */
  podLogs(options: PodLogOptions): AsyncIterable<Uint8Array>;
}

/**
 * Starts a simulated node. It registers itself and runs the pods that are bound to it through the states of a real
 * kubelet, with app models or scripts in place of containers.
 *
 * Resolves when the Node is registered and ready, and a worker exists for each pod that was bound already.
 *
 * @example
 * await using node = await startNode({ server: connection });
 * node.addressOf(pod.status.podIP, 8089); // { host: "127.0.0.1", port: 40123 }
 */
export async function startNode(options: NodeOptions): Promise<SimulatedNode> {
  const { name = "homeostat-node", clock = systemClock, random = systemRandom, log = silentLogger } = options;
  const isOwn = !("transport" in options.server);
  const client = "transport" in options.server ? options.server : createClient(options.server, { clock, random });
  const stopping = new AbortController();
  const { signal } = stopping;
  // Every informer and every request in flight listens to the signal.
  setMaxListeners(0, signal);
  const network = options.network ?? new Network();
  const description = describe(options, name);
  const cache = new Cache({ sources: clientSources(client), clock, random });
  const running = cache.run(signal);
  const config = new ClusterConfig(cache);
  const directory = network.addDirectory(config);
  const recorder = new CoreEvents({ client, clock, log, fieldManager: "kubelet", host: name, signal });
  const events = recorder.of("kubelet");
  const kubelet = new Kubelet({
    node: name,
    client,
    cache,
    clock,
    random,
    log,
    events,
    config,
    network,
    addresses: new AddressRange(description.podCidr),
    hostIP: description.hostIP,
    delays: { ...defaultDelays, ...options.delays },
    models: [...(options.models ?? []), httpEcho],
    scripts: options.scripts ?? [],
    images: new Set(options.images),
    logCharactersMax: options.logCharactersMax ?? 1_048_576,
    signal,
  });
  let heartbeats: Promise<void> = Promise.resolve();
  const stop = async (): Promise<void> => {
    if (signal.aborted) return;
    await kubelet.dispose();
    stopping.abort(new Error("node stopped"));
    directory[Symbol.dispose]();
    config[Symbol.dispose]();
    await Promise.all([running.catch(() => undefined), heartbeats, recorder.flush()]);
    if (isOwn) client.close();
  };
  try {
    const heartbeat: HeartbeatParts = { client, clock, log, description };
    const uid = await registerNode(heartbeat, signal);
    recordStart(events, name);
    heartbeats = sendHeartbeats(heartbeat, uid, signal);
    await kubelet.start(signal);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    name,
    network,
    addressOf: (ip, port) => network.addressOf(ip, port),
    hasPod: (pod) => kubelet.hasPod(pod),
    podLogs: (requested) => kubelet.podLogs(requested),
    [Symbol.asyncDispose]: stop,
  };
}

function describe(options: NodeOptions, name: string): NodeDescription {
  const number = Buffer.from(name).reduce((sum, byte) => (sum * 31 + byte) % 254, 0);
  return {
    name,
    hostIP: options.hostIP ?? `10.243.0.${number + 1}`,
    podCidr: options.podCidr ?? `10.244.${number}.0/24`,
    labels: options.labels ?? {},
    taints: options.taints ?? [],
    capacity: options.capacity ?? defaultCapacity,
    version: kubeletVersion,
  };
}

function recordStart(events: ObjectEvents, name: string): void {
  const node = { apiVersion: "v1", kind: "Node", metadata: { name } };
  events.record(node, { type: "Normal", reason: "Starting", message: "Starting kubelet." });
  for (const reason of ["NodeHasSufficientMemory", "NodeHasNoDiskPressure", "NodeHasSufficientPID", "NodeReady"])
    events.record(node, { type: "Normal", reason, message: `Node ${name} status is now: ${reason}` });
}
