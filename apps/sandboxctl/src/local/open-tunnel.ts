// Opens the tunnel of a command: objects, key, proxy, connection. `local connect` and `local run` differ only in what they do while it is open.

import { findCondition, formatTime, UsageError } from "@homeostat/core";
import { LocalWorkload } from "@homeostat/sandbox-operator";
import { type TransportName, transportNames, type TunnelEnd } from "@homeostat/tunnel";
import type { Cluster, CommandContext } from "../command/context.ts";
import { CommandError, exitCodes } from "../command/errors.ts";
import type { CommandInput } from "../command/input.ts";
import { waitUntil } from "../objects/wait-until.ts";
import { readSettings } from "../settings/settings.ts";
import { ownVersion } from "../version/own-version.ts";
import { serviceOf } from "./cluster-names.ts";
import { connectDirect, transportsOf, tunnelAddress } from "./connect-transport.ts";
import type { targetFlags, tunnelFlags } from "./flags.ts";
import { loadMachineKey } from "./machine-key.ts";
import { OutboundProxy } from "./outbound-proxy.ts";
import { portOf } from "./ports.ts";
import { prepareWorkload, type PreparedWorkload } from "./prepare-workload.ts";
import { isStopRequested, removeState, writeState } from "./state-file.ts";
import type { CheckedPort } from "./target-check.ts";
import { TunnelClient } from "./tunnel-client.ts";

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
  /** Resolves when the tunnel has ended for good: undefined after the signal aborted. Rejects if it cannot be attached. */
  readonly ended: Promise<TunnelEnd | undefined>;
  /** Resolves when the tunnel is attached for the first time. */
  readonly attached: Promise<void>;
}

const refreshMs = 2_000;
const loopback: ReadonlySet<string> = new Set(["127.0.0.1", "::1", "localhost"]);

/** Opens a tunnel. It closes when the signal of the context aborts, or when it is disposed of. */
export async function openTunnel(cluster: Cluster, input: TunnelInput, context: CommandContext): Promise<OpenTunnel> {
  const { clock, random, signal, note, machine } = context;
  const sandbox = required(input.text("sandbox"), "--sandbox NAME");
  const service = required(input.text("service"), "--service NAME");
  const listen = proxyListen(input.text("socks"));
  const ports = input.texts("port").map(portOf);
  const transports = transportsOf(input.choice("transport", ["auto", ...transportNames]), transportNames);
  const settings = await readSettings(machine.configFolder);
  const key = await loadMachineKey(machine.configFolder);
  const { publicKey } = key;
  const name = input.text("name");
  const createsSandbox = input.isSet("create");
  const prepared = await prepareWorkload(
    cluster,
    { sandbox, service, name, ports, createsSandbox, publicKey },
    context,
  );
  const checked = checkedPorts(prepared.workload, input.isSet("allow-remote-local"));
  const waitMs = input.durationMs("wait-timeout") ?? 0;
  const { url, caSha256, routingKey } = await waitForTunnel(cluster, prepared.workload, waitMs, context);
  const server = settings.tunnel ?? url;
  const { namespace = "", name: workloadName = "", uid = "" } = prepared.workload.metadata;
  const place = { namespace, name: workloadName };
  const state = { state: "connecting", since: formatTime(clock.now()), lastError: "" };
  let markAttached: () => void = () => undefined;
  const attached = new Promise<void>((resolve) => (markAttached = resolve));
  const change = (to: string, error: string): void => {
    if (state.state !== to) state.since = formatTime(clock.now());
    state.state = to;
    if (error !== "") state.lastError = error;
  };
  const client = new TunnelClient({
    clock,
    random,
    identity: {
      key,
      workload: { namespace, name: workloadName, uid },
      client: { version: ownVersion(), host: settings.machine ?? machine.host },
      takeover: input.isSet("takeover"),
    },
    address: server,
    trust: { caSha256 },
    connect: (transport, attempt) => connectBy(transport, server, { env: machine.env, signal: attempt }),
    transports,
    ports: checked,
    onState: (event) => {
      switch (event.state) {
        case "attached":
          change("attached", "");
          note(`Attached to ${server}`);
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
    onPort: (port, portState) => note(portText(checked, port, portState)),
  });
  const allowed = namespacesOf(prepared.workload);
  const proxy = new OutboundProxy({
    open: (destination, onAnswer) => client.open(destination, onAnswer),
    serviceOf: (host, port) => serviceOf(host, port, { namespace, isKnown: (each) => allowed.has(each) }),
    routingKey: () => client.routingKey ?? routingKey,
  });
  const socks = `${listen.host}:${await proxy.listen(listen)}`;
  const stopping = new AbortController();
  const ended = client.run(AbortSignal.any([signal, stopping.signal]));
  // Handled by the command, which may not wait for it yet.
  ended.catch(() => undefined);
  const refresh = async (): Promise<void> => {
    const portStates = checked.map(({ name: port, host, port: local, containerPort }) => ({
      name: port,
      address: `${host}:${local}`,
      containerPort,
      state: client.portStates.get(port) ?? "unknown",
    }));
    await writeState(machine.stateFolder, {
      pid: process.pid,
      ...place,
      sandbox,
      service,
      ...state,
      routingKey: client.routingKey ?? routingKey,
      transport: client.transport ?? "",
      server,
      socks,
      ports: portStates,
      ...client.counts,
      refreshedAt: clock.now(),
    });
  };
  const refreshing = keepRefreshed(refresh, async () => isStopRequested(machine.stateFolder, place), {
    clock,
    signal: stopping.signal,
    stop: () => stopping.abort(),
  });
  return {
    prepared,
    routingKey,
    proxyAddress: socks,
    ports: checked,
    ended,
    attached,
    [Symbol.asyncDispose]: async () => {
      stopping.abort();
      proxy[Symbol.dispose]();
      await ended.catch(() => undefined);
      await refreshing;
      await removeState(machine.stateFolder, place);
      if (prepared.isOwn) await removeWorkload(cluster, prepared.workload, context);
    },
  };
}

/** Refreshes the state file, and stops when another command requests it. */
async function keepRefreshed(
  refresh: () => Promise<void>,
  isStopped: () => Promise<boolean>,
  { clock, signal, stop }: { clock: CommandContext["clock"]; signal: AbortSignal; stop: () => void },
): Promise<void> {
  while (!signal.aborted) {
    await refresh();
    if (await isStopped()) stop();
    else await clock.sleep(refreshMs, signal).catch(() => undefined);
  }
}

function required(text: string | undefined, form: string): string {
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
        `LocalWorkload ${metadata.name ?? ""} leads port ${name} to ${localHost}, which is not this machine. Add --allow-remote-local if that is intended`,
        exitCodes.refused,
      );
    }
    return { name, host: localHost, port: localPort ?? containerPort, containerPort };
  });
}

/** Waits until the operator has published where to attach. */
async function waitForTunnel(
  { client }: Cluster,
  { metadata: { namespace = "", name = "" } }: LocalWorkload,
  timeoutMs: number,
  context: CommandContext,
): Promise<{ readonly url: string; readonly caSha256: string; readonly routingKey: string }> {
  return waitUntil(
    {
      what: `LocalWorkload ${namespace}/${name} to have a tunnel server`,
      look: async (signal) => {
        const workload = await client.get(LocalWorkload, { namespace, name }, { signal });
        if (workload === undefined)
          throw new CommandError(`LocalWorkload ${namespace}/${name} was deleted meanwhile`, exitCodes.notFound);
        const { tunnel, routingKey, conditions = [] } = workload.status;
        const ready = findCondition(conditions, "Ready");
        if (ready?.reason === "PolicyDenied")
          throw new CommandError(`LocalWorkload ${namespace}/${name} is denied: ${ready.message}`, exitCodes.refused);
        if (ready !== undefined && fatalReasons.has(ready.reason)) {
          throw new CommandError(
            `LocalWorkload ${namespace}/${name} cannot be used (${ready.reason}): ${ready.message}. Correct it, or delete it and connect again`,
            exitCodes.error,
          );
        }
        const { url = "", caSha256 = "" } = tunnel ?? {};
        if (url !== "" && caSha256 !== "" && routingKey !== undefined) return { done: { url, caSha256, routingKey } };
        const missing = [
          ...(routingKey === undefined ? ["the routing key of the sandbox"] : []),
          ...(url === "" ? ["the address of the tunnel server"] : []),
          ...(caSha256 === "" ? ["its certificate authority"] : []),
        ];
        return { missing: `the operator has not published ${missing.join(", ")}` };
      },
      timeoutMs,
      next: `kubectl describe localworkload ${name} -n ${namespace}`,
    },
    context,
  );
}

const fatalReasons: ReadonlySet<string> = new Set(["InvalidSpec", "ServiceUnknown", "PortUnknown"]);

async function connectBy(
  transport: TransportName,
  server: string,
  options: { readonly env: Readonly<Record<string, string | undefined>>; readonly signal: AbortSignal },
): ReturnType<typeof connectDirect> {
  if (transport === "kube")
    throw new CommandError("the port-forward of the API server is not supported by this release", exitCodes.error);
  return connectDirect(tunnelAddress(server), options);
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

/** Deletes the LocalWorkload that the command has created. A cluster that cannot be reached withdraws it after its timeout. */
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
