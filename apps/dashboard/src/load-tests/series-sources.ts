import { ApiError, ParseError } from "@homeostat/core";
import { ConfigMap } from "@homeostat/kubernetes/core/v1";
import type { OperatorEndpoint } from "../why/operator-endpoint.ts";
import type { FindOperators } from "../why/why-view.ts";
import type { ViewContext } from "../views/view.ts";
import { pointsInCsv, pointsInResponse } from "./read-series.ts";
import type { RunPoints } from "./run-points.ts";

/** Number of rounds after which operators are searched for again. */
const searchEvery = 20;
/** Deadline of all requests of one round, in milliseconds. */
const requestMsMax = 5_000;

/** Reads points of runs from operator processes and from stored results, with the rights of the user. */
export class SeriesSources {
  readonly #context: ViewContext;
  readonly #findOperators: FindOperators;
  #endpoints: readonly OperatorEndpoint[] = [];
  #rounds = 0;
  #problem = "";

  constructor(context: ViewContext, findOperators: FindOperators) {
    this.#context = context;
    this.#findOperators = findOperators;
  }

  /** Reason why no operator process has responded; empty if one has. */
  get problem(): string {
    return this.#problem;
  }

  /** Reads new points of runs. Never rejects because of a source that fails, only when the signal aborts. */
  async read(runs: readonly RunPoints[], signal: AbortSignal): Promise<void> {
    using timeout = this.#context.clock.timeout(requestMsMax);
    const deadline = AbortSignal.any([signal, timeout.signal]);
    if (this.#rounds % searchEvery === 0) await this.#search(deadline);
    this.#rounds += 1;
    await Promise.all(runs.map((run) => this.#readRun(run, deadline)));
    signal.throwIfAborted();
  }

  /** Finds the operator processes with the page `/load-tests`. */
  async #search(signal: AbortSignal): Promise<void> {
    this.#problem = "";
    try {
      const found = await this.#findOperators(this.#context, signal);
      const checked = await Promise.all(found.map((endpoint) => this.#hasPage(endpoint, signal)));
      this.#endpoints = checked.flatMap((endpoint) => endpoint ?? []);
      if (this.#endpoints.length === 0 && this.#problem === "")
        this.#problem = "No process of the Locust operator was found.";
    } catch (error) {
      this.#problem = textOf(error);
    }
  }

  async #hasPage(endpoint: OperatorEndpoint, signal: AbortSignal): Promise<OperatorEndpoint | undefined> {
    try {
      const { status } = await endpoint.get("/load-tests", signal);
      return status === 200 ? endpoint : undefined;
    } catch (error) {
      // An operator of another kind responds with text, which is no JSON. Only a failed connection is a problem.
      if (!(error instanceof ParseError)) this.#problem = `${endpoint.name}: ${textOf(error)}`;
      return undefined;
    }
  }

  async #readRun(run: RunPoints, signal: AbortSignal): Promise<void> {
    const known = this.#endpoints.find(({ name }) => name === run.endpoint);
    if (known === undefined) run.loseEndpoint();
    for (const endpoint of known === undefined ? this.#endpoints : [known]) {
      const points = await this.#ask(endpoint, run, signal);
      if (points !== undefined) run.takeFromOperator(endpoint.name, points);
      if (run.source === "operator" && points !== undefined) return;
    }
    if (run.isFinished && run.source !== "operator" && !run.hasReadResults) await this.#readResults(run, signal);
  }

  async #ask(
    endpoint: OperatorEndpoint,
    run: RunPoints,
    signal: AbortSignal,
  ): Promise<ReturnType<typeof pointsInResponse>> {
    const { namespace, name } = run.ref;
    const query = new URLSearchParams({ run: String(run.run) });
    if (run.after !== undefined && run.endpoint === endpoint.name) query.set("after", String(run.after));
    const path = `/load-tests/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}?${query.toString()}`;
    try {
      const { status, value } = await endpoint.get(path, signal);
      return status === 200 ? pointsInResponse(value, run) : undefined;
    } catch {
      // The process may have ended. The next search finds its successor.
      run.loseEndpoint();
      return undefined;
    }
  }

  /** Reads the stored results of a run, if the test has them. */
  async #readResults(run: RunPoints, signal: AbortSignal): Promise<void> {
    const { namespace, name } = run.ref;
    try {
      const found = await this.#context.client.get(
        ConfigMap,
        { namespace, name: resultsName(name, run.run) },
        { signal },
      );
      const isOwned = found?.metadata.ownerReferences?.some(({ uid }) => uid === run.uid) === true;
      if (isOwned) run.takeFromResults(pointsInCsv(found.data?.["series.csv"] ?? ""));
      run.hasReadResults = true;
    } catch (error) {
      if (error instanceof ApiError && error.status === 403) run.hasReadResults = true;
    }
  }
}

/** Returns the name of the ConfigMap with the results of a run. A test compares it with that of the operator. */
export function resultsName(test: string, run: number): string {
  return `${test.replaceAll(".", "-")}-results${run > 1 ? `-${run}` : ""}`;
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
