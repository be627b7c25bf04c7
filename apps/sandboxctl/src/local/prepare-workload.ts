// The objects of a tunnel: the sandbox, and a LocalWorkload that lists the key of this machine.

import { AlreadyExistsError, UsageError } from "@homeostat/core";
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
}

/** A LocalWorkload that this machine may attach to. */
export interface PreparedWorkload {
  readonly workload: LocalWorkload;
  readonly sandbox: Sandbox;
  /** True if this command has created the LocalWorkload, and deletes it at the end. */
  readonly isOwn: boolean;
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
  const name = options.name ?? `${options.sandbox}-${options.service}`.slice(0, nameLengthMax).replace(/-+$/, "");
  const existing = await client.get(LocalWorkload, { namespace, name }, { signal });
  if (existing !== undefined)
    return { workload: await addKey(cluster, existing, options, signal), sandbox, isOwn: false };
  const ports =
    options.ports.length > 0 ? options.ports : await portsOfService(cluster, sandbox, options.service, signal);
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
      { signal, fieldManager },
    );
    return { workload, sandbox, isOwn: true };
  } catch (error) {
    if (!(error instanceof AlreadyExistsError)) throw error;
    // Another machine has created it at the same moment.
    const next = `kubectl get localworkloads -n ${namespace}`;
    const other = await readObject(LocalWorkload, { client, namespace, name, signal, next });
    return { workload: await addKey(cluster, other, options, signal), sandbox, isOwn: false };
  }
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

async function portsOfService(
  cluster: Cluster,
  sandbox: Sandbox,
  name: string,
  signal: AbortSignal,
): Promise<readonly WorkloadPort[]> {
  const { client } = cluster;
  const entry = sandbox.spec.services.find((each) => each.name === name);
  const baseline = await readWorkloadOfEntry(cluster, { sandbox, entry: name }, signal);
  const { namespace } = baseline;
  const next = `kubectl get services -n ${namespace}, or name a port with --port LOCAL:REMOTE`;
  const service = await readObject(Service, {
    client,
    namespace,
    name: entry?.serviceNames?.[0] ?? (entry === undefined ? name : entry.targetRef.name),
    signal,
    next,
  });
  return detectPorts(service, baseline);
}
