import { type Client, createClient, type Layer } from "@homeostat/client";
import type { Cluster } from "@homeostat/cluster";
import { type Clock, FakeClock, isRecord, type Random, SeededRandom, systemClock } from "@homeostat/core";
import {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from "@homeostat/kubernetes/admissionregistration/v1";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import {
  createOperatorManager,
  type Manifest,
  type Operator,
  operatorManifests,
  type OperatorManagerOptions,
} from "@homeostat/operator";
import { type Logger, type LogLine, recordingLogger, Registry } from "@homeostat/runtime";
import { OperatorNotSettledError } from "../errors.ts";
import { eventually } from "../waiting/eventually.ts";
import { applyManifests } from "./apply-manifests.ts";
import { workLeft } from "./settled.ts";

/** Options of {@link startOperator}. */
export interface StartOperatorOptions extends Pick<OperatorManagerOptions, "settings" | "run" | "layers" | "metrics"> {
  /** Namespace of the operator, which is created. Default: the name of the operator with `-system`. */
  readonly namespace?: string;
  /** Manifests to apply before the operator starts, such as CRDs of kinds that it uses. Default: none. */
  readonly prerequisites?: readonly Manifest[] | string;
  /** `own`: exactly the permissions of its manifests. `admin`: those of the cluster administrator. Default: `own`. */
  readonly permissions?: "own" | "admin";
  /**
   * False to install and serve no admission and conversion webhooks. Default: they are served, unless the clock is a `FakeClock`: connections over TLS
   * take real time.
   */
  readonly webhooks?: boolean;
  /** The clock of the cluster. Default: the system clock. */
  readonly clock?: Clock;
  /** Default: a random source with a fixed seed. */
  readonly random?: Random;
  /** Layers of the operator's client, such as that of `RequestFaults`. */
  readonly layers?: readonly Layer[];
  /** Default: the lines are in `logs`. */
  readonly log?: Logger;
}

/** An operator that runs in this process, on an embedded cluster. Disposing of it stops it; its objects stay in the cluster. */
export interface StartedOperator extends AsyncDisposable {
  /** A client of the cluster administrator. */
  readonly client: Client;
  readonly registry: Registry;
  readonly logs: readonly LogLine[];
  /**
   * Waits until the operator has nothing to do: its caches contain what the API server stores, no object is to be reconciled or retried, and all events
   * were sent. Requeues that reconcilers asked for may be pending. The cluster itself may have work left, such as pods that are not ready yet.
   */
  settled(options?: { readonly timeoutMs?: number }): Promise<void>;
  stop(): Promise<void>;
}

/** Kinds that are not installed, because the operator runs in this process instead of in pods. */
const podKinds: ReadonlySet<string> = new Set(["Deployment", "NetworkPolicy", "PodDisruptionBudget"]);
const startMsMax = 30_000;

/**
 * Installs an operator on an embedded cluster and starts it in this process: CRDs, permissions, webhooks and conversion as in its manifests.
 * Resolves when it is ready.
 *
 * @example
 * await using cluster = await startCluster();
 * await using operator = await startOperator(cluster, shop);
 * await applyManifests(operator.client, await readFile("samples/site.yaml", "utf8"));
 * await operator.settled();
 */
export async function startOperator(
  cluster: Cluster,
  operator: Operator,
  options: StartOperatorOptions = {},
): Promise<StartedOperator> {
  const {
    namespace = `${operator.name}-system`,
    permissions = "own",
    clock = systemClock,
    settings = {},
    layers,
  } = options;
  const isVirtual = clock instanceof FakeClock;
  const { webhooks = !isVirtual, random = new SeededRandom(1), prerequisites = [] } = options;
  const logs: LogLine[] = [];
  const registry = new Registry();
  const client = createClient(cluster.transport(), { clock });
  const stopping = new AbortController();
  let services: readonly Disposable[] = [];
  let running: Promise<unknown> = Promise.resolve();
  let failure: unknown;
  let isOver = false;
  const stop = async (): Promise<void> => {
    stopping.abort();
    if (isVirtual) await eventually(() => isOver, { clock });
    await running;
    for (const service of services) service[Symbol.dispose]();
    client.close();
  };
  try {
    const manifests = operatorManifests(operator, { namespace, settings, webhooks });
    await applyManifests(client, prerequisites, { clock });
    await applyManifests(
      client,
      manifests.filter(({ kind }) => !podKinds.has(kind)),
      { clock },
    );
    const identity =
      permissions === "own"
        ? { user: `system:serviceaccount:${namespace}:${operator.name}`, group: "system:serviceaccounts" }
        : undefined;
    const manager = createOperatorManager(operator, {
      // Without sockets, which do not follow virtual time.
      connection: cluster.transport(identity),
      settings,
      run: {
        namespace,
        webhooks,
        webhookPort: 0,
        leaderElect: false,
        healthProbeBindAddress: "0",
        metricsBindAddress: "0",
        grace: 0,
        ...options.run,
      },
      webhooks: {
        host: "127.0.0.1",
        pollMs: 20,
        onListening: (port) => {
          services = manifests
            .filter(({ kind }) => kind === "Service")
            .map(({ metadata: { name = "" } }) =>
              cluster.serveService({ namespace, name }, { host: "127.0.0.1", port }),
            );
        },
      },
      ...(layers === undefined ? {} : { layers }),
      ...(options.metrics === undefined ? {} : { metrics: options.metrics }),
      log: options.log ?? recordingLogger(logs),
      registry,
      clock,
      random,
      env: {},
    });
    running = manager
      .run(stopping.signal)
      .catch((error: unknown) => (failure = error))
      .finally(() => (isOver = true));
    const waitFor = async (
      what: string,
      left: () => Promise<readonly string[]>,
      timeoutMs = startMsMax,
    ): Promise<void> => {
      try {
        await eventually(
          async () => {
            if (isOver) return;
            const parts = await left();
            if (parts.length > 0) throw new Error(parts.join("; "));
          },
          { clock, timeoutMs, stepMs: isVirtual ? 50 : 5 },
        );
      } catch (error) {
        const reason = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
        throw new OperatorNotSettledError(`${operator.name} ${what} within ${timeoutMs} ms: ${reason}.`, {
          cause: error,
        });
      }
      if (isOver) {
        throw new OperatorNotSettledError(`${operator.name} has stopped; see the cause and its log.`, {
          cause: failure,
        });
      }
    };
    await waitFor("did not become ready", async () => [
      ...manager.readyChecks().flatMap((check) => {
        const problem = check.problem();
        return problem === undefined ? [] : [`${check.name} ${problem}`];
      }),
      ...(webhooks ? await unsignedWebhooks(client, operator) : []),
    ]);
    return {
      client,
      registry,
      logs,
      settled: ({ timeoutMs } = {}) => waitFor("has work left", () => workLeft(manager, client), timeoutMs),
      stop,
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Returns the webhooks whose certificate the API server cannot verify yet: the operator writes its CA bundle when it has started. */
async function unsignedWebhooks(client: Client, operator: Operator): Promise<readonly string[]> {
  const configurations = [
    ...(await client.list(MutatingWebhookConfiguration)).items,
    ...(await client.list(ValidatingWebhookConfiguration)).items,
  ];
  const unsigned = configurations.flatMap(({ webhooks = [] }) =>
    webhooks
      .filter(({ clientConfig: { service, caBundle } }) => service !== undefined && (caBundle ?? "") === "")
      .map(({ name }) => `webhook ${name} has no CA`),
  );
  for (const { resource } of operator.conversions) {
    const { plural, group } = resource;
    const crd = await client.get(CustomResourceDefinition, { name: `${plural}.${group}` });
    const config: unknown = crd?.spec.conversion?.webhook?.clientConfig;
    if (isRecord(config) && (config["caBundle"] ?? "") === "") unsigned.push(`conversion of ${plural} has no CA`);
  }
  return unsigned;
}
