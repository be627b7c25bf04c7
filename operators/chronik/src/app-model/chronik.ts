import {
  type AppModel,
  type Network,
  type ProgramContext,
  serveHttp,
  serveTcp,
  type VolumeFiles,
} from "@homeostat/cluster/app-model";
import { readStubConfig } from "./config.ts";
import type { PeerTransport } from "./quorum-member.ts";
import { StubNode, stubPorts } from "./stub-node.ts";

/** Stubs by the address of their pod. */
export type StubsByAddress = ReadonlyMap<string, Pick<StubNode, "receive">>;

// Stubs by the address of their pod, for each simulated network. Controllers find each other through it and call each other directly: a fake
// clock does not wait for sockets.
const stubs = new WeakMap<Network, Map<string, StubNode>>();

/**
 * Simulates the Chronik components: controllers that elect a leader and vote, ingest nodes that drain, and search nodes.
 *
 * Reads its configuration from the mounted files and keeps its data on its volume. Options of the script turn misbehaviors on, as does
 * `POST /misbehave` on port 8081 at any time; see `misbehaviors`.
 */
export const chronikModel: AppModel = {
  name: "chronik",
  runs: ({ image }) => /(?:^|\/)chronik\/(?:controller|ingest|search)(?:[:@]|$)/.test(image),
  start: (context) => {
    const { env, files, clock, random, options: misbehave, network, pod } = context;
    const config = readStubConfig(env, files);
    const volume: VolumeFiles = context.volumes.get(env.get("STORAGE_PATH") ?? "/var/lib/chronik") ?? new Map();
    const known = stubs.get(network) ?? new Map<string, StubNode>();
    stubs.set(network, known);
    const node = new StubNode({ config, misbehave, volume, peers: peersOf(context, known), clock, random });
    known.set(pod.ip, node);
    const [contractPort = 0, metricsPort = 0, clientPort = 0] = stubPorts[config.role] ?? [];
    const respond: Parameters<typeof serveHttp>[2] = async ({ method, path, body, headers }) => {
      const key = headers["x-api-key"];
      const response = await node.respond({ method, path, body, apiKey: typeof key === "string" ? key : undefined });
      return { status: response.status, headers: { "content-type": response.contentType }, body: response.body };
    };
    const open = [
      serveHttp(context, contractPort, respond),
      serveHttp(context, metricsPort, respond),
      serveTcp(context, clientPort, (socket) => socket.resume()),
    ];
    const close = (): void => {
      node.stop();
      if (known.get(pod.ip) === node) known.delete(pod.ip);
      for (const one of open.splice(0)) one[Symbol.dispose]();
    };
    context.print(`Starting ${config.role} ${config.nodeId} of cluster ${config.cluster}`);
    node.start();
    return {
      servesPorts: true,
      terminate: () => {
        close();
        context.exit({ exitCode: 0 });
      },
      kill: close,
    };
  },
};

/** Returns a transport that calls the stub of another pod directly, by the DNS name of the pod. */
export function peersOf({ network, pod: { namespace } }: ProgramContext, known: StubsByAddress): PeerTransport {
  return {
    send: async (address, message) => {
      const [host = ""] = address.split(":");
      const [hostname = "", ...service] = host.split(".");
      const parent = network.serviceNamed(service.join("."), namespace);
      const pods = parent === undefined ? [] : network.podsOf(parent);
      const pod = pods.find((one) => (one.hostname === "" ? one.name : one.hostname) === hostname);
      return pod === undefined ? undefined : known.get(pod.ip)?.receive(message);
    },
  };
}
