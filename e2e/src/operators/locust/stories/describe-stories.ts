// Runs all stories on one subject in parallel, because a story mostly waits.

import { setMaxListeners } from "node:events";
import { after, before, describe, it } from "node:test";
import type { OperatorProcess } from "../../../harness/operator-process.ts";
import { killed, type Scenario, scenarios } from "./scenarios.ts";
import { Stage } from "./stage.ts";
import { startOperator, type Subject } from "./subject.ts";

/** Declares the suite of one subject. */
export function describeStories(
  title: string,
  { skip, start }: { readonly skip: string | false; readonly start: () => Promise<Subject> },
): void {
  describe(title, { skip, timeout: 600_000 }, () => {
    const life = new AbortController();
    // Every story has two watches, which end with it.
    setMaxListeners(0, life.signal);
    const plays = new Map<Scenario, Promise<void>>();
    const following: Promise<void>[] = [];
    const operators: OperatorProcess[] = [];
    let subject: Subject | undefined;

    before(async () => {
      const chosen = await start();
      subject = chosen;
      // One operator for the story that kills it, and one for all other stories.
      const killedOperator = startOperator(chosen, [killed.id]);
      const shared = startOperator(
        chosen,
        scenarios.map(({ id }) => id),
      );
      operators.push(shared, killedOperator);
      const inTurn = turns(chosen.storiesMax);
      // The longest story starts first.
      for (const scenario of [killed, ...scenarios]) {
        const play = inTurn(async () => {
          const stage = new Stage(chosen, scenario.id, scenario === killed ? killedOperator : shared);
          await stage.prepare();
          following.push(stage.follow(life.signal));
          await scenario.play(stage);
          await stage.clear();
        });
        // A failure is reported by the story's own test.
        play.catch(() => undefined);
        plays.set(scenario, play);
      }
    });

    after(async () => {
      life.abort();
      await Promise.all([...operators.map((operator) => operator.stop()), ...following]);
      await subject?.[Symbol.asyncDispose]();
    });

    for (const scenario of [...scenarios, killed])
      it(scenario.name, { timeout: 500_000 }, async () => {
        await plays.get(scenario);
      });
  });
}

/** Limits the number of tasks that run at the same time. */
function turns(max: number): (work: () => Promise<void>) => Promise<void> {
  const waiting: (() => void)[] = [];
  let free = max;
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
