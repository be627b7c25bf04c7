import type { AppModel } from "@homeostat/cluster/app-model";
import { type Clock, systemClock } from "@homeostat/core";
import { loopbackEndpoint, type OperatorEndpoint, serveOnLoopback } from "@homeostat/dashboard";
import { createOperatorManager, type Manifest } from "@homeostat/operator";
import { silentLogger, textLogger } from "@homeostat/runtime";
import type { StartArguments } from "./arguments.ts";
import { applyAll, type CreatedObject } from "./cluster/apply-all.ts";
import { startEmbedded } from "./cluster/embedded.ts";
import { connectExisting } from "./cluster/existing.ts";
import type { TargetCluster } from "./cluster/target-cluster.ts";
import type { Demo } from "./demo.ts";
import { firstFailure } from "./first-failure.ts";
import { elapsed } from "./view/numbers.ts";
import { type Output, Screen } from "./view/screen.ts";

/** Parts of the process that the program uses. */
export interface StartContext {
  readonly output: Output;
  readonly demos: readonly Demo[];
  /** Aborted to stop the program. */
  readonly signal: AbortSignal;
  readonly clock?: Clock;
}

/**
 * Runs a cluster, the operators and their samples until the signal aborts or, with `--once`, until all samples have finished.
 *
 * Returns false if a sample failed.
 */
export async function start(args: StartArguments, startContext: StartContext): Promise<boolean> {
  const { output, signal, clock = systemClock } = startContext;
  const screen = new Screen(output, clock);
  const startedAt = clock.monotonic();
  const printTimed = (text: string): void => screen.line(`${elapsed(clock.monotonic() - startedAt)}  ${text}`);
  const warn = (error: unknown): void =>
    screen.line(`warning: ${error instanceof Error ? error.message : String(error)}`);

  screen.line("Starting Homeostat");
  const models = startContext.demos.flatMap((demo) => demo.models ?? []);
  await using cluster = await openCluster(args, { clock, signal, models, onError: warn });
  printTimed(`${cluster.title} at ${cluster.url}`);
  // The operators run on until the samples are deleted: they have to remove the finalizers.
  const operatorsStop = new AbortController();
  const tasks: Promise<unknown>[] = [];
  const created: CreatedObject[] = [];
  const applyContext = { clock, signal, onCreated: (object: CreatedObject) => void created.push(object) };
  const { failure, fail } = firstFailure();
  const endpoints: OperatorEndpoint[] = [];
  await using dashboard = await serveOnLoopback({
    client: cluster.client,
    connection: cluster.connection,
    port: args.dashboardPort ?? 0,
    findOperators: () => Promise.resolve(endpoints),
    clock,
    onError: warn,
  });
  const demos = startContext.demos.map((demo) => ({ ...demo, operator: demo.operator(cluster) }));
  const runnable = demos.filter(({ skipReason }) => skipReason?.(cluster) === undefined);
  const results = new Map<string, boolean>();
  const finished = new AbortController();
  try {
    for (const { operator, check, skipReason } of demos) {
      const reason = skipReason?.(cluster);
      if (reason !== undefined) {
        printTimed(`${operator.name} skipped: ${reason}`);
        continue;
      }
      await check?.(cluster.client, signal);
      await cluster.install(operator, signal);
      const log = args.isVerbose ? textLogger({ write: (line) => screen.line(line.trimEnd()) }) : silentLogger;
      const manager = createOperatorManager(operator, { ...cluster.managerOptions(operator), log, clock });
      tasks.push(manager.run(operatorsStop.signal).catch(fail));
      endpoints.push(loopbackEndpoint(operator.name, () => manager.ports[0]));
      printTimed(`${operator.name} started`);
    }
    for (const line of greeting(cluster, runnable, { ...args, dashboard: dashboard.url })) screen.line(line);
    if (args.hasSamples) {
      await applyAll(cluster.client, [namespaceOf(args)], applyContext);
      for (const { operator, sample, show } of runnable) {
        const context = {
          client: cluster.client,
          cluster,
          screen,
          clock,
          namespace: args.namespace,
          say: printTimed,
          onFinished: (succeeded: boolean): void => {
            results.set(operator.name, succeeded);
            if (args.isOnce && results.size === runnable.length) finished.abort();
          },
        };
        tasks.push(show(context, AbortSignal.any([signal, finished.signal])).catch(fail));
        await applyAll(cluster.client, await sample(args.namespace, cluster), applyContext);
      }
    }
    await Promise.race([aborted(signal), aborted(finished.signal), failure]);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    finished.abort();
    screen.live("");
    screen.line("Stopping");
    using deadline = clock.timeout(cleanUpTimeoutMs);
    await cluster.cleanUp(created, runnable, deadline.signal).catch(warn);
    operatorsStop.abort(new Error("npm start is stopping"));
    await Promise.allSettled(tasks);
  }
  return [...results.values()].every((succeeded) => succeeded);
}

/** Time limit for deleting the samples from an existing cluster. */
const cleanUpTimeoutMs = 60_000;

function openCluster(
  { kubeconfig, context, port }: StartArguments,
  tools: {
    readonly clock: Clock;
    readonly signal: AbortSignal;
    readonly models: readonly AppModel[];
    readonly onError: (error: unknown) => void;
  },
): Promise<TargetCluster> {
  return kubeconfig === undefined
    ? startEmbedded({ port, clock: tools.clock, models: tools.models, onError: tools.onError })
    : connectExisting({ file: kubeconfig, context }, tools);
}

function namespaceOf({ namespace }: StartArguments): Manifest {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } };
}

function greeting(
  { kubeconfig }: TargetCluster,
  demos: readonly Pick<Demo, "kubectlCommand">[],
  { namespace, hasSamples, dashboard }: StartArguments & { readonly dashboard: string },
): string[] {
  return [
    "",
    "In a browser (the link works once):",
    `  ${dashboard}`,
    "",
    "In another terminal:",
    `  export KUBECONFIG=${quoted(kubeconfig)}`,
    ...(hasSamples ? demos.map(({ kubectlCommand }) => `  ${kubectlCommand(namespace)}`) : []),
    "",
    "Press Ctrl-C to stop.",
    "",
  ];
}

/** Quotes a word for a POSIX shell, if it needs quoting. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
