import { Job } from "@homeostat/kubernetes/batch/v1";
import { Pod, Service } from "@homeostat/kubernetes/core/v1";
import { labels, LocustTest } from "@homeostat/locust-operator";
import type { Stage } from "../exhibit.ts";
import { follow } from "../follow.ts";
import { jobState, objectLine, podState } from "../view/object-line.ts";
import { tellOf } from "../view/tell-of.ts";
import { Told } from "../view/told.ts";
import { liveLine } from "./live-line.ts";
import { verdictLines } from "./verdict-lines.ts";

/** What is shown, and where. */
export interface Show extends Stage {
  readonly name: string;
}

/** Shows what becomes of a load test: what is made for it, its numbers while it runs, and the verdict. */
export async function showLocustTest(show: Show, signal: AbortSignal): Promise<void> {
  const { client, clock, namespace, name, say } = show;
  const told = new Told();
  const tell = tellOf(told, say);
  const its = { namespace, labelSelector: `${labels.testName}=${name}` };
  const tools = { clock, signal };
  await Promise.all([
    follow(client, { ...its, type: Service, tell: tell("Service", () => "is made") }, tools),
    follow(client, { ...its, type: Job, tell: tell<Job>("Job", jobState) }, tools),
    follow(client, { ...its, type: Pod, tell: tell<Pod>("Pod", podState) }, tools),
    follow(
      client,
      {
        type: LocustTest,
        namespace,
        tell: (test, isGone) => {
          if (test.metadata.name !== name) return;
          tellTest(test, isGone, { ...show, told });
        },
      },
      tools,
    ),
  ]);
}

function tellTest(
  { status, metadata }: LocustTest,
  isGone: boolean,
  { screen, name, told, say, onEnd }: Show & { readonly told: Told },
): void {
  const { uid = "" } = metadata;
  if (isGone) {
    screen.live("");
    if (told.isNews(uid, "gone")) say(objectLine("LocustTest", name, "is gone"));
    return;
  }
  if (status === undefined) return;
  const { phase = "Pending", run = 1 } = status;
  screen.live(liveLine(status));
  if (!told.isNews(uid, `${run} ${phase}`)) return;
  if (phase !== "Succeeded" && phase !== "Failed") return say(objectLine("LocustTest", name, phase));
  const [first = "", ...more] = verdictLines(status);
  say(objectLine("LocustTest", name, first));
  for (const line of more) screen.line(`          ${line}`);
  onEnd(phase === "Succeeded");
}
