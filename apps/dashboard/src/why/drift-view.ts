import type { DriftView, ObjectRef } from "../api/types.ts";
import { readExplanation } from "../present/explanation.ts";
import type { RunView, ViewContext } from "../views/view.ts";
import type { OperatorEndpoint } from "./operator-endpoint.ts";
import { type FindOperators, readWhy } from "./why-view.ts";

/** Options of {@link driftView}. */
export interface DriftOptions {
  readonly ref: ObjectRef;
  readonly findOperators: FindOperators;
}

/** Interval of requests to operators while a page is open, in milliseconds. */
const pollMs = 2_000;
/** Number of polls after which operators are searched for again. */
const searchEvery = 5;
/** Largest number of entries. */
const entriesMax = 50;

/** Returns the view of the drift that operators have corrected on the owned objects of an object: `drift` with all of it after each change. */
export function driftView(context: ViewContext, { ref, findOperators }: DriftOptions): RunView {
  return async (emit, signal) => {
    let last = "";
    let endpoints: readonly OperatorEndpoint[] = [];
    for (let poll = 0; !signal.aborted; poll += 1) {
      const view = await readDrift();
      if (signal.aborted) return;
      const text = JSON.stringify(view);
      if (text !== last) emit({ event: "drift", data: view });
      last = text;
      await context.clock.sleep(pollMs, signal).catch(() => undefined);

      async function readDrift(): Promise<DriftView> {
        try {
          if (poll % searchEvery === 0) endpoints = await findOperators(context, signal);
          const { histories, processes } = await readWhy(endpoints, ref, { context, signal });
          const entries = histories
            .flatMap(({ controller, explanation }) =>
              readExplanation(explanation).drifts.map((drift) => ({ ...drift, controller })),
            )
            .toSorted((one, other) => other.at.localeCompare(one.at))
            .slice(0, entriesMax);
          const problems = processes.flatMap(({ name, problem }) =>
            problem === undefined ? [] : `${name}: ${problem}`,
          );
          return { entries, hasHistory: histories.length > 0, problems };
        } catch (error) {
          return { entries: [], hasHistory: false, problems: [error instanceof Error ? error.message : String(error)] };
        }
      }
    }
  };
}
