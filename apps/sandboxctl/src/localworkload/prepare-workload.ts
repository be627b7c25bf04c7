// The objects of a tunnel: the sandbox, and a LocalWorkload that lists the key of this machine.

import { AlreadyExistsError, ForbiddenError, UsageError } from "@homeostat/core";
import { Service } from "@homeostat/kubernetes/core/v1";
import { LocalWorkload, Sandbox } from "@homeostat/sandbox-operator";
import type { Cluster, CommandContext } from "../command/context.ts";
import { CommandError, exitCodes } from "../command/errors.ts";
import { changeSpec } from "../objects/change-object.ts";
import { fieldManager } from "../objects/field-manager.ts";
import { readObject } from "../objects/read-object.ts";
import { readWorkloadOfEntry } from "../workload/read-workload.ts";
import { detectPorts, type WorkloadPort } from "./ports.ts";

/** Options of {@link prepareWorkload}. */
export interface PrepareOptions {
  readonly sandbox: string;
  readonly service: string;
  /** Name of the LocalWorkload; undefined for the default. */
  readonly name: string | undefined;
  /** Empty to detect them from the Service. */
  readonly ports: readonly WorkloadPort[];
  readonly createsSandbox: boolean;
  readonly publicKey: string;
  /** Tunnels of this machine, including those of killed processes. */
  readonly tunnels: readonly KnownTunnel[];
}

/** A tunnel of this machine. */
export interface KnownTunnel {
  readonly uid: string;
  readonly pid: number;
  readonly isOwn: boolean;
  readonly isRunning: boolean;
}

/** A LocalWorkload that this machine may attach to. */
export interface PreparedWorkload {
  readonly workload: LocalWorkload;
  readonly sandbox: Sandbox;
  /** True if this command deletes the LocalWorkload at the end: it has created it, or a command of this machine that was killed has. */
  readonly isOwn: boolean;
  /** The Service that requests are sent to; undefined if it cannot be read. */
  readonly address: ServiceAddress | undefined;
}

/** A Service and the first of its ports. */
export interface ServiceAddress {
  readonly service: string;
  readonly namespace: string;
  readonly port: number;
}

const nameLengthMax = 63;

/** Creates a LocalWorkload with the key of this machine, or adds the key to an existing one. */
export async function prepareWorkload(
  cluster: Cluster,
  options: PrepareOptions,
  context: CommandContext,
): Promise<PreparedWorkload> {
  const { client, namespace } = cluster;
  const { signal } = context;
  const sandbox = await ensureSandbox(cluster, options, context);
  const address = await readAddress(cluster, sandbox, options.service, signal);
  const name = options.name ?? `${options.sandbox}-${options.service}`.slice(0, nameLengthMax).replace(/-+$/, "");
  const existing = await client.get(LocalWorkload, { namespace, name }, { signal });
  if (existing !== undefined) {
    const isOwn = ownsAfterCrash(existing, options);
    return { workload: await addKey(cluster, existing, options, signal), sandbox, isOwn, address };
  }
  const ports = await portsOf(cluster, sandbox, options, signal);
  try {
    const workload = await client.create(
      LocalWorkload,
      LocalWorkload.make({
        metadata: { name, namespace },
        spec: {
          sandboxRef: { name: options.sandbox },
          service: { name: options.service, ports: [...ports] },
          connection: { publicKeys: [options.publicKey] },
        },
      }),
      // Sent without the signal: an interrupt during the request would leave an object that no command knows.
      { fieldManager },
    );
    return { workload, sandbox, isOwn: true, address };
  } catch (error) {
    if (!(error instanceof AlreadyExistsError)) throw error;
    // Another machine has created it at the same moment.
    const next = `kubectl get localworkloads -n ${namespace}`;
    const other = await readObject(LocalWorkload, { client, namespace, name, signal, next });
    return { workload: await addKey(cluster, other, options, signal), sandbox, isOwn: false, address };
  }
}

/**
 * Reports whether a command of this machine has created an existing LocalWorkload and was killed before it could delete it. Refuses a LocalWorkload that a
 * running command of this machine uses: two connections of one machine would replace each other again and again.
 */
function ownsAfterCrash({ metadata }: LocalWorkload, { tunnels }: PrepareOptions): boolean {
  const { namespace = "", name = "", uid } = metadata;
  const known = tunnels.find((each) => each.uid === uid);
  if (known?.isRunning === true) {
    throw new CommandError(
      `LocalWorkload ${namespace}/${name} is connected to this machine by process ${known.pid}. Stop it with sandboxctl local disconnect ${name}, or choose another --name`,
      exitCodes.refused,
    );
  }
  return known?.isOwn === true;
}

async function ensureSandbox(
  { client, namespace }: Cluster,
  { sandbox: name, createsSandbox }: PrepareOptions,
  { signal, note }: CommandContext,
): Promise<Sandbox> {
  const found = await client.get(Sandbox, { namespace, name }, { signal });
  if (found !== undefined) return found;
  if (!createsSandbox) {
    throw new CommandError(
      `Sandbox ${namespace}/${name} does not exist. Add --create to create an empty one, or see sandboxctl sandbox list -n ${namespace}`,
      exitCodes.notFound,
    );
  }
  const created = await client.create(Sandbox, Sandbox.make({ metadata: { name, namespace }, spec: {} }), {
    signal,
    fieldManager,
  });
  note(`Created sandbox ${namespace}/${name}`);
  return created;
}

/** Adds the key of this machine to a LocalWorkload of the same sandbox and service. */
async function addKey(
  { client, namespace }: Cluster,
  workload: LocalWorkload,
  { sandbox, service, publicKey, ports }: PrepareOptions,
  signal: AbortSignal,
): Promise<LocalWorkload> {
  const { metadata, spec } = workload;
  const { name = "" } = metadata;
  if (spec.sandboxRef.name !== sandbox || spec.service.name !== service) {
    throw new UsageError(
      `LocalWorkload ${namespace}/${name} is for the service ${spec.service.name} of sandbox ${spec.sandboxRef.name}; choose another --name.`,
    );
  }
  const isListed = spec.connection.publicKeys.includes(publicKey);
  const hasPorts = ports.every((port) =>
    spec.service.ports.some(
      (each) =>
        each.containerPort === port.containerPort &&
        (each.localPort ?? each.containerPort) === (port.localPort ?? port.containerPort),
    ),
  );
  if (isListed && hasPorts) return workload;
  const next = `kubectl get localworkloads -n ${namespace}`;
  return changeSpec(LocalWorkload, { client, namespace, name, signal, next }, ({ spec: present }) => ({
    connection: { publicKeys: [...new Set([...present.connection.publicKeys, publicKey])] },
    ...(!hasPorts && { service: { ports } }),
  }));
}

/** Returns the Service that requests to an entry or a Service of the baseline are sent to; undefined if it does not exist or may not be read. */
async function readAddress(
  { client }: Cluster,
  sandbox: Sandbox,
  name: string,
  signal: AbortSignal,
): Promise<ServiceAddress | undefined> {
  const place = serviceOfEntry(sandbox, name);
  try {
    const found = await client.get(Service, place, { signal });
    const port = found?.spec?.ports?.[0]?.port;
    return port === undefined ? undefined : { service: place.name, namespace: place.namespace, port };
  } catch (error) {
    if (error instanceof ForbiddenError) return undefined;
    throw error;
  }
}

/** Returns the Service of an entry, or of the baseline if the sandbox has no such entry. */
function serviceOfEntry(sandbox: Sandbox, name: string): { readonly namespace: string; readonly name: string } {
  const { namespace = "" } = sandbox.metadata;
  const entry = sandbox.spec.services.find((each) => each.name === name);
  if (entry === undefined) return { namespace, name };
  return {
    namespace: entry.targetRef.namespace ?? namespace,
    name: entry.serviceNames?.[0] ?? entry.targetRef.name,
  };
}

/** Returns the ports that the user has chosen, with the names that the Service has for them, or all ports of the Service. */
async function portsOf(
  cluster: Cluster,
  sandbox: Sandbox,
  { ports, service }: PrepareOptions,
  signal: AbortSignal,
): Promise<readonly WorkloadPort[]> {
  if (ports.length === 0) return portsOfService(cluster, sandbox, service, signal);
  try {
    const known = await portsOfService(cluster, sandbox, service, signal);
    return ports.map((port) => ({
      ...port,
      name: known.find(({ containerPort }) => containerPort === port.containerPort)?.name ?? port.name,
    }));
  } catch (error) {
    // If the Service does not exist or cannot be read, ports are named by their numbers.
    if (error instanceof CommandError || error instanceof ForbiddenError) return ports;
    throw error;
  }
}

async function portsOfService(
  cluster: Cluster,
  sandbox: Sandbox,
  name: string,
  signal: AbortSignal,
): Promise<readonly WorkloadPort[]> {
  const baseline = await readWorkloadOfEntry(cluster, { sandbox, entry: name }, signal);
  const place = serviceOfEntry(sandbox, name);
  const next = `kubectl get services -n ${place.namespace}, or name a port with --port LOCAL:REMOTE`;
  const service = await readObject(Service, { client: cluster.client, ...place, signal, next });
  return detectPorts(service, baseline);
}
