import { ChronikCluster, labels } from "@homeostat/chronik-operator";
import { StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { Pod, Service } from "@homeostat/kubernetes/core/v1";
import type { DemoContext } from "../demo.ts";
import { watchObjects } from "../watch-objects.ts";
import { objectLine, podState, replicasState } from "../view/object-line.ts";
import { objectPrinter } from "../view/object-printer.ts";
import { Deduplicator } from "../view/deduplicator.ts";
import { restartLine, stateOf, statusLines } from "./lines.ts";
import { RollingUpdate } from "./rolling-update.ts";

/** The cluster to show, and the resources to print with. */
export interface Show extends DemoContext {
  readonly name: string;
}

/** Prints the progress of a Chronik cluster. Changes its configuration when it runs for the first time, and prints how its pods restart. */
export async function showChronikCluster(show: Show, signal: AbortSignal): Promise<void> {
  const { client, clock, namespace, name, say, screen, onFinished } = show;
  const deduplicator = new Deduplicator();
  const printer = objectPrinter(deduplicator, say);
  const selection = { namespace, labelSelector: `${labels.cluster}=${name}` };
  const watchContext = { clock, signal };
  const update = new RollingUpdate();
  const { reached: running, reach: markRunning } = latch(signal);
  let step: "starting" | "changing" | "finished" = "starting";
  let cluster: ChronikCluster | undefined;

  const finish = (succeeded: boolean): void => {
    step = "finished";
    onFinished(succeeded);
  };
  // Pods and clusters are watched separately, so either may complete the update.
  const finishIfUpdated = (): void => {
    if (step !== "changing" || cluster === undefined || !isRunning(cluster)) return;
    const { progress } = update;
    if (progress.restarted < progress.pods) return;
    screen.line(`          ${restartLine(progress)}`);
    finish(progress.unavailableMax <= 1);
  };
  const printPod = printer<Pod>("Pod", podState);
  const onPod = (pod: Pod, isDeleted: boolean): void => {
    printPod(pod, isDeleted);
    update.observe(pod, isDeleted);
    finishIfUpdated();
  };
  const onCluster = (observed: ChronikCluster, isDeleted: boolean): void => {
    const { metadata, status } = observed;
    if (metadata.name !== name) return;
    cluster = isDeleted ? undefined : observed;
    const state = isDeleted ? "deleted" : stateOf(status);
    if (deduplicator.isNew(metadata.uid ?? "", state)) {
      say(objectLine("ChronikCluster", name, state));
      if (cluster !== undefined) for (const line of statusLines(status)) screen.line(`          ${line}`);
    }
    if (cluster === undefined || step === "finished") return;
    if (status.phase === "Failed") return finish(false);
    if (isRunning(cluster)) markRunning();
    finishIfUpdated();
  };
  const changeWhenRunning = async (): Promise<void> => {
    await running;
    if (signal.aborted) return;
    say(objectLine("ChronikCluster", name, "changing spec.tuning.logLevel to debug, so all pods must restart"));
    update.begin();
    step = "changing";
    await client.patch(
      ChronikCluster,
      { namespace, name },
      { merge: { spec: { tuning: { logLevel: "debug" } } } },
      { signal },
    );
  };

  await Promise.all([
    watchObjects(client, { ...selection, type: Service, onObject: printer("Service", () => "created") }, watchContext),
    watchObjects(
      client,
      { ...selection, type: StatefulSet, onObject: printer<StatefulSet>("StatefulSet", replicasState) },
      watchContext,
    ),
    watchObjects(client, { ...selection, type: Pod, onObject: onPod }, watchContext),
    watchObjects(client, { type: ChronikCluster, namespace, onObject: onCluster }, watchContext),
    changeWhenRunning(),
  ]);
}

/** Reports whether a cluster runs with its latest spec. */
function isRunning({ metadata, status }: ChronikCluster): boolean {
  return status.phase === "Running" && status.observedGeneration === metadata.generation;
}

/** Returns a promise that resolves when `reach` is called or the signal aborts. */
function latch(signal: AbortSignal): { readonly reached: Promise<void>; readonly reach: () => void } {
  let reach = (): void => undefined;
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  return { reached, reach };
}
