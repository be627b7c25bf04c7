import { Job } from "@homeostat/kubernetes/batch/v1";
import { Pod, Service } from "@homeostat/kubernetes/core/v1";
import { labels, LocustTest } from "@homeostat/locust-operator";
import type { DemoContext } from "../demo.ts";
import { watchObjects } from "../watch-objects.ts";
import { jobState, objectLine, podState } from "../view/object-line.ts";
import { objectPrinter } from "../view/object-printer.ts";
import { Deduplicator } from "../view/deduplicator.ts";
import { liveLine } from "./live-line.ts";
import { resultLines } from "./result-lines.ts";

/** The test to show, and the resources to print with. */
export interface Show extends DemoContext {
  readonly name: string;
}

/** Prints the progress of a load test: its objects as they change, live statistics while it runs, and the result. */
export async function showLocustTest(show: Show, signal: AbortSignal): Promise<void> {
  const { client, clock, namespace, name, say } = show;
  const deduplicator = new Deduplicator();
  const printer = objectPrinter(deduplicator, say);
  const selection = { namespace, labelSelector: `${labels.testName}=${name}` };
  const watchContext = { clock, signal };
  await Promise.all([
    watchObjects(client, { ...selection, type: Service, onObject: printer("Service", () => "created") }, watchContext),
    watchObjects(client, { ...selection, type: Job, onObject: printer<Job>("Job", jobState) }, watchContext),
    watchObjects(client, { ...selection, type: Pod, onObject: printer<Pod>("Pod", podState) }, watchContext),
    watchObjects(
      client,
      {
        type: LocustTest,
        namespace,
        onObject: (test, isDeleted) => {
          if (test.metadata.name !== name) return;
          printTest(test, isDeleted, { ...show, deduplicator });
        },
      },
      watchContext,
    ),
  ]);
}

function printTest(
  { status, metadata }: LocustTest,
  isDeleted: boolean,
  { screen, name, deduplicator, say, onFinished }: Show & { readonly deduplicator: Deduplicator },
): void {
  const { uid = "" } = metadata;
  if (isDeleted) {
    screen.live("");
    if (deduplicator.isNew(uid, "deleted")) say(objectLine("LocustTest", name, "deleted"));
    return;
  }
  if (status === undefined) return;
  const { phase = "Pending", run = 1 } = status;
  screen.live(liveLine(status));
  if (!deduplicator.isNew(uid, `${run} ${phase}`)) return;
  if (phase !== "Succeeded" && phase !== "Failed") return say(objectLine("LocustTest", name, phase));
  const [first = "", ...more] = resultLines(status);
  say(objectLine("LocustTest", name, first));
  for (const line of more) screen.line(`          ${line}`);
  onFinished(phase === "Succeeded");
}
