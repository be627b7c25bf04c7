// Opens the tunnel of a command: objects, key, proxy, connection. `local connect` and `local run` differ only in what they do while it is open.

import { resolve } from "node:path";
import { formatTime, UsageError, releaseVersion } from "@homeostat/core";
import { LocalWorkload } from "@homeostat/sandbox-operator";
import {
  AttachRefusedError,
  type MachineKey,
  type TransportName,
  transportNames,
  type TunnelEnd,
} from "@homeostat/tunnel";
import type { Cluster, CommandContext } from "../command/context.ts";
import { CommandError, exitCodes } from "../command/errors.ts";
import type { CommandInput } from "../command/input.ts";
import { readSettings } from "../settings/settings.ts";
import { serviceOf } from "../outbound/cluster-names.ts";
import { connectBy, transportsOf } from "../tunnel/connect-transport.ts";
import { clusterAddress } from "../tunnel/forward-to-server.ts";
import type { targetFlags, tunnelFlags } from "./flags.ts";
import { loadMachineKey } from "../tunnel/machine-key.ts";
import { networkAddresses } from "../tunnel/network-addresses.ts";
import { OutboundProxy } from "../outbound/outbound-proxy.ts";
import { portOf, type WorkloadPort } from "../localworkload/ports.ts";
import { type KnownTunnel, prepareWorkload, type PreparedWorkload } from "../localworkload/prepare-workload.ts";
import { waitForTunnel } from "../localworkload/published-tunnel.ts";
import { isRunning, readStates, removeFiles, type TunnelState } from "../state/state-file.ts";
import { StateKeeper } from "../state/state-keeper.ts";
import type { CheckedPort } from "../tunnel/target-check.ts";
import { TunnelClient } from "../tunnel/tunnel-client.ts";

export type TunnelInput = CommandInput<typeof targetFlags & typeof tunnelFlags>;

/** A local port with the port of the container that it replaces. */
export interface WorkloadTarget extends CheckedPort {
  readonly containerPort: number;
}

/** An open tunnel. */
export interface OpenTunnel extends AsyncDisposable {
  readonly prepared: PreparedWorkload;
  readonly routingKey: string;
  /** Address of the SOCKS5 and HTTP proxy. */
  readonly proxyAddress: string;
  readonly ports: readonly WorkloadTarget[];
  /**
   * Resolves when the tunnel has ended and will not reconnect: with the reason, or undefined after the signal aborted. Rejects if it cannot be
   * attached.
   */
  readonly ended: Promise<TunnelEnd | undefined>;
  /** Resolves when the tunnel is attached for the first time. */
  readonly attached: Promise<void>;
  /** Records success, for the command that started this one in the background and waits for it. */
  announce(): Promise<void>;
  /** Records a folder for files of the baseline before they are written, so that a later command removes them if this process is killed. */
  useFiles(folder: string): Promise<void>;
}

const loopback: ReadonlySet<string> = new Set(["127.0.0.1", "::1", "localhost"]);
/** Maximum number of reads of the LocalWorkload status to find the replica of the tunnel server, which the server writes after the connection. */
const replicaLooksMax = 15;

/** Parts of the command line that open a tunnel. */
interface TunnelOptions {
  readonly sandbox: string;
  readonly service: string;
  readonly listen: { readonly host: string; readonly port: number };
  readonly ports: readonly WorkloadPort[];
  readonly transports: readonly TransportName[] | undefined;
}

function optionsOf(input: TunnelInput): TunnelOptions {
  return {
    sandbox: required(input.text("sandbox"), "--sandbox NAME"),
    service: required(input.text("service"), "--service NAME"),
    listen: proxyListen(input.text("socks")),
    ports: input.texts("port").map(portOf),
    transports: transportsOf(input.choice("transport", ["auto", ...transportNames]), transportNames),
  };
}

/**
 * Opens a tunnel. The signal of the context ends its preparation. The tunnel closes when `life` aborts, which is the same signal by default, and when it
 * is disposed of. A failure removes what was created before.
 */
export async function openTunnel(
  cluster: Cluster,
  input: TunnelInput,
  context: CommandContext,
  life: AbortSignal = context.signal,
): Promise<OpenTunnel> {
  const options = optionsOf(input);
  const { clock, machine } = context;
  const key = await loadMachineKey(machine.configFolder);
  const tunnels = await knownTunnels(context);
  const prepared = await prepareWorkload(
    cluster,
    {
      ...options,
      name: input.text("name"),
      createsSandbox: input.isSet("create"),
      publicKey: key.publicKey,
      tunnels,
    },
    context,
  );
  const stopping = new AbortController();
  const opening = { cluster, input, options, prepared, key, stopping, life };
  const { namespace = "", name = "", uid = "" } = prepared.workload.metadata;
  const { kubeconfig = "", context: contextName = "" } = input.connection;
  let refresh: () => Promise<Partial<TunnelState>> = async () => ({});
  const keeper = new StateKeeper({
    stateFolder: machine.stateFolder,
    clock,
    note: context.note,
    state: {
      ...emptyState,
      pid: process.pid,
      namespace,
      name,
      uid,
      isOwn: prepared.isOwn,
      // Stored as an absolute path, because later commands may run in another folder.
      kubeconfig: kubeconfig === "" ? "" : resolve(kubeconfig),
      context: contextName,
      sandbox: options.sandbox,
      service: options.service,
      since: formatTime(clock.now()),
    },
    refresh: () => refresh(),
    onStop: () => stopping.abort(),
  });
  const remove = async (): Promise<void> => {
    await keeper.remove();
    if (prepared.isOwn) await removeWorkload(cluster, prepared.workload, context);
  };
  try {
    await keeper.write();
    const started = await startTunnel(opening, keeper, context);
    refresh = started.refresh;
    const refreshing = keeper.run(stopping.signal);
    return {
      ...started.tunnel,
      prepared,
      announce: async () => {
        keeper.change({ isReady: true });
        await keeper.write();
      },
      useFiles: async (folder) => {
        keeper.change({ files: folder });
        await keeper.write();
      },
      [Symbol.asyncDispose]: async () => {
        stopping.abort();
        started.close();
        await started.tunnel.ended.catch(() => undefined);
        await refreshing;
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Returns the tunnels of this machine. Removes files of the baseline that killed processes have left. */
async function knownTunnels({ machine, clock }: CommandContext): Promise<readonly KnownTunnel[]> {
  const states = await readStates(machine.stateFolder);
  for (const state of states) if (!isRunning(state, clock)) await removeFiles(state);
  return states.map((state) => ({ ...state, isRunning: isRunning(state, clock) }));
}

const emptyState = {
  isReady: false,
  files: "",
  state: "connecting",
  routingKey: "",
  transport: "",
  server: "",
  replica: "",
  rttMs: -1,
  socks: "",
  ports: [],
  connections: 0,
  open: 0,
  failed: 0,
  bytesIn: 0,
  bytesOut: 0,
  lastError: "",
} as const;

interface Opening {
  readonly cluster: Cluster;
  readonly input: TunnelInput;
  readonly options: TunnelOptions;
  readonly prepared: PreparedWorkload;
  readonly key: MachineKey;
  readonly stopping: AbortController;
  readonly life: AbortSignal;
}

interface StartedTunnel {
  readonly tunnel: Pick<OpenTunnel, "routingKey" | "proxyAddress" | "ports" | "ended" | "attached">;
  /** Returns the parts of the state that change by themselves. */
  readonly refresh: () => Promise<Partial<TunnelState>>;
  /** Closes the proxy. */
  readonly close: () => void;
}

/** Starts the proxy and the connection of a LocalWorkload that exists. */
async function startTunnel(opening: Opening, keeper: StateKeeper, context: CommandContext): Promise<StartedTunnel> {
  const { cluster, input, options, prepared, key, stopping, life } = opening;
  const { clock, random, note, machine } = context;
  const { namespace = "", name = "", uid = "" } = prepared.workload.metadata;
  const ports = checkedPorts(prepared.workload, input.isSet("allow-remote-local"));
  const waitMs = input.durationMs("wait-timeout") ?? 0;
  const settings = await readSettings(machine.configFolder);
  const { url, caSha256, routingKey } = await waitForTunnel(cluster, prepared.workload, waitMs, context);
  const address = settings.tunnel ?? url;
  const server = address ?? clusterAddress;
  // Without an external address, the tunnel server can only be reached through the API server.
  const transports = options.transports ?? (address === undefined ? (["kube"] as const) : transportNames);
  let markAttached: () => void = () => undefined;
  const attached = new Promise<void>((resolve) => (markAttached = resolve));
  const change = (state: string, error: string): void => {
    const isSame = keeper.state.state === state;
    keeper.change({
      state,
      ...(!isSame && { since: formatTime(clock.now()) }),
      ...(error !== "" && { lastError: error }),
    });
  };
  let replicaLooks = 0;
  const client = new TunnelClient({
    clock,
    random,
    identity: {
      key,
      workload: { namespace, name, uid },
      client: { version: releaseVersion, host: settings.machine ?? machine.host },
      takeover: input.isSet("takeover"),
    },
    address: server,
    trust: { caSha256 },
    connect: (transport, attempt) =>
      connectBy(transport, { server, cluster, env: machine.env, random, signal: attempt }),
    transports,
    addresses: networkAddresses,
    ports,
    onState: (event) => {
      switch (event.state) {
        case "attached":
          change("attached", "");
          replicaLooks = replicaLooksMax;
          note(client.transport === "kube" ? "Attached through the API server" : `Attached to ${server}`);
          return markAttached();
        case "draining":
          return note("The tunnel server is stopping; connecting to another replica");
        case "lost":
          change("lost", event.reason);
          return note(`Connection lost (${event.reason}); reconnecting`);
        case "failed":
          change("lost", event.error.message);
          return note(`${event.error.message} Next attempt in ${(event.retryMs / 1_000).toFixed(1)} s`);
      }
    },
    onPort: (port, portState) => note(portText(ports, port, portState)),
  });
  const allowed = namespacesOf(prepared.workload);
  const proxy = new OutboundProxy({
    open: (destination, onAnswer) => client.open(destination, onAnswer),
    serviceOf: (host, port) => serviceOf(host, port, { namespace, isKnown: (each) => allowed.has(each) }),
    routingKey: () => client.routingKey ?? routingKey,
    env: machine.env,
  });
  const socks = addressText(options.listen.host, await proxy.listen(options.listen));
  keeper.change({ routingKey, server, socks });
  const ended = client.run(AbortSignal.any([life, stopping.signal])).catch(explainRefusal);
  // Prevents an unhandled rejection: the command may await the promise later.
  ended.catch(() => undefined);
  return {
    tunnel: { routingKey, proxyAddress: socks, ports, ended, attached },
    close: () => proxy[Symbol.dispose](),
    refresh: async () => {
      if (replicaLooks > 0) {
        replicaLooks -= 1;
        const replica = await readReplica(cluster, prepared.workload, stopping.signal);
        if (replica !== undefined) replicaLooks = 0;
        keeper.change({ replica: replica ?? "" });
      }
      return {
        routingKey: client.routingKey ?? routingKey,
        transport: client.transport ?? "",
        rttMs: client.rttMs ?? -1,
        ports: ports.map(({ name: port, host, port: local, containerPort }) => ({
          name: port,
          address: addressText(host, local),
          containerPort,
          state: client.portStates.get(port) ?? "unknown",
        })),
        ...client.counts,
      };
    },
  };
}

/** Throws the error with which a tunnel server refused this machine, with the next step for a LocalWorkload that another machine uses. */
function explainRefusal(error: unknown): never {
  if (!(error instanceof AttachRefusedError) || error.reason !== "Busy") throw error;
  throw new CommandError(
    `The tunnel server refused this machine: another one is attached${error.detail === "" ? "" : ` (${error.detail})`}. Add --takeover to replace it, or choose another --name`,
    exitCodes.refused,
    { cause: error },
  );
}

/** Returns the pod of the tunnel server that this machine is attached to; undefined if it is not reported yet. */
async function readReplica(
  { client }: Cluster,
  { metadata: { namespace = "", name = "" } }: LocalWorkload,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const { status } = (await client.get(LocalWorkload, { namespace, name }, { signal })) ?? {};
    return status?.phase === "Connected" ? status.connection?.replica : undefined;
  } catch {
    // The replica is shown to users only; the tunnel works while the API server does not respond.
    return undefined;
  }
}

function addressText(host: string, port: number): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Returns the value of a required option. Throws a {@link UsageError} without one. */
export function required(text: string | undefined, form: string): string {
  if (text !== undefined && text !== "") return text;
  throw new UsageError(`${form} is required. See sandboxctl local connect --help.`);
}

function proxyListen(text = "127.0.0.1:0"): { readonly host: string; readonly port: number } {
  const [, host = "", port = ""] = /^(?:\[?([0-9a-z.:]+?)\]?:)?(\d{1,5})$/i.exec(text) ?? [];
  if (port === "" || Number(port) > 65_535)
    throw new UsageError(`--socks is ${JSON.stringify(text)}; it must be an address such as 127.0.0.1:1080.`);
  if (host !== "" && !loopback.has(host))
    throw new UsageError(
      `--socks is ${JSON.stringify(text)}; it must be a loopback address: the proxy has your access to the cluster.`,
    );
  return { host: host === "" || host === "localhost" ? "127.0.0.1" : host, port: Number(port) };
}

function checkedPorts({ metadata, spec }: LocalWorkload, isRemoteAllowed: boolean): readonly WorkloadTarget[] {
  return spec.service.ports.map(({ name, localHost, localPort, containerPort }) => {
    if (!isRemoteAllowed && !loopback.has(localHost)) {
      throw new CommandError(
        `LocalWorkload ${metadata.name ?? ""} forwards port ${name} to ${localHost}, which is not this machine. Add --allow-remote-local if that is intended`,
        exitCodes.refused,
      );
    }
    return { name, host: localHost, port: localPort ?? containerPort, containerPort };
  });
}

/** Returns the namespaces whose Services the tunnel may call by a name with two labels. */
function namespacesOf({ metadata, spec }: LocalWorkload): ReadonlySet<string> {
  const listed = (spec.outbound.allow ?? []).flatMap((pattern) => {
    const [, namespace] = /^[^.:]+\.([a-z0-9-]+)(?::.*)?$/.exec(pattern) ?? [];
    return namespace === undefined ? [] : [namespace];
  });
  return new Set([metadata.namespace ?? "", ...listed]);
}

function portText(ports: readonly CheckedPort[], name: string, state: string): string {
  const port = ports.find((each) => each.name === name);
  const address = `${port?.host ?? ""}:${port?.port ?? ""}`;
  if (state === "listening") return `Port ${name}: ${address} accepts connections`;
  return `Port ${name}: ${state === "refused" ? `no process listens on ${address}` : `${address} does not respond`}; requests fail with 503 until it does`;
}

/** Deletes the LocalWorkload that the command has created. If the cluster cannot be reached, the operator withdraws its routes after the timeout. */
async function removeWorkload(
  { client }: Cluster,
  workload: LocalWorkload,
  { clock, note }: CommandContext,
): Promise<void> {
  const { namespace = "", name = "", uid } = workload.metadata;
  using timeout = clock.timeout(10_000);
  try {
    await client.delete(LocalWorkload, { namespace, name }, { preconditions: { uid }, signal: timeout.signal });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    note(
      `LocalWorkload ${namespace}/${name} was not deleted: ${message}. Delete it with kubectl delete localworkload ${name} -n ${namespace}`,
    );
  }
}
