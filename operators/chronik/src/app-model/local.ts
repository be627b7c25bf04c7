// Chronik components without sockets. With a virtual clock, their behavior depends only on the clock and the source of randomness.

import { abortable, NetworkError } from "@homeostat/core";
import type { AppModel, ProbeTarget, ProgramContext, RunningProgram, VolumeFiles } from "@homeostat/cluster/app-model";
import { type Component, components } from "../api/identity.ts";
import type { SendToPod } from "../component/client.ts";
import { peersOf } from "./chronik.ts";
import { readStubConfig } from "./config.ts";
import { StubNode, stubPorts } from "./stub-node.ts";

/** A container of a component. */
export interface ComponentContainer {
  readonly component: Component;
  readonly image: string;
}

/** Times and faults of simulated components. */
export interface LocalComponentOptions {
  /** Time from the start of a container until it responds. */
  readonly startMs: number;
  /** Time from the request to stop until a container exits. */
  readonly stopMs: number;
  /** Time that the drain of an ingest node takes. */
  readonly drainMs: number;
  /** Reports whether a container that starts now never becomes ready. */
  readonly isNeverReady: (container: ComponentContainer) => boolean;
  /** Reports whether a drain that starts in a container that starts now never completes. */
  readonly neverDrains: () => boolean;
}

/** Simulated components, and the connection to them. */
export interface LocalComponents {
  readonly model: AppModel;
  /** Sends a request to a component by the address of its pod. */
  readonly send: SendToPod;
  /** Keeps drains in all running components from completing. */
  stopDrains(): void;
}

/** Builds simulated components that are called directly. */
export function localComponents(options: LocalComponentOptions): LocalComponents {
  const stubs = new Map<string, StubNode>();
  return {
    model: {
      name: "chronik-local",
      runs: ({ name }) => isComponent(name),
      start: (context) => startComponent(context, options, stubs),
    },
    send: async ({ host, port, method, path, headers, body, signal }) => {
      const node = port === stubPorts["controller"]?.[0] ? stubs.get(host) : undefined;
      if (node === undefined) throw new NetworkError({ socketCode: "ECONNREFUSED", request: { method, path } });
      const apiKey = headers?.["x-api-key"];
      const request = { method, path, body: body?.toString() ?? "", apiKey: apiKey?.toString() };
      const response = await abortable(Promise.resolve(node.respond(request)), signal);
      return { status: response.status, body: Buffer.from(response.body) };
    },
    stopDrains: () => {
      for (const node of stubs.values()) node.misbehave({ neverDrain: true });
    },
  };
}

function startComponent(
  context: ProgramContext,
  { startMs, stopMs, drainMs, isNeverReady, neverDrains }: LocalComponentOptions,
  stubs: Map<string, StubNode>,
): RunningProgram {
  const { env, files, clock, random, pod, container } = context;
  const config = readStubConfig(env, files);
  const volume: VolumeFiles = context.volumes.get(env.get("STORAGE_PATH") ?? "/var/lib/chronik") ?? new Map();
  const { image, name } = container;
  // Only faults that are on: the configuration may turn others on, and `false` would turn them off.
  const misbehave = {
    ...(isComponent(name) && isNeverReady({ component: name, image }) && { neverReady: true }),
    ...(neverDrains() && { neverDrain: true }),
  };
  let node: StubNode | undefined;
  let timer = clock.schedule(startMs, () => {
    node = new StubNode({ config, misbehave, volume, peers: peersOf(context, stubs), clock, random, drainMs });
    stubs.set(pod.ip, node);
    node.start();
  });
  const close = (): void => {
    timer[Symbol.dispose]();
    node?.stop();
    if (node !== undefined && stubs.get(pod.ip) === node) stubs.delete(pod.ip);
    node = undefined;
  };
  return {
    servesPorts: true,
    probe: ({ port, path }: ProbeTarget) => {
      if (node === undefined || stubPorts[config.role]?.includes(port) !== true) return undefined;
      if (path === undefined) return 200;
      const response = node.respond({ method: "GET", path, body: "", apiKey: undefined });
      return "status" in response ? response.status : undefined;
    },
    terminate: () => {
      close();
      timer = clock.schedule(stopMs, () => context.exit({ exitCode: 0 }));
    },
    kill: close,
  };
}

function isComponent(name: string): name is Component {
  return components.some((one) => one === name);
}
