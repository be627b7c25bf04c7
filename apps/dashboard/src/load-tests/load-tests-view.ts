import { formatKey, type KubeObject, type ResourceType, type Stored } from "@homeostat/core";
import type { Cache } from "@homeostat/runtime";
import type { LoadTestChange, LoadTestsMessage, LoadTestView, RunRef } from "../api/load-tests.ts";
import { RequestError } from "../errors.ts";
import type { FindOperators } from "../why/why-view.ts";
import type { AnyInformer } from "../views/kinds.ts";
import {
  batched,
  endedBy,
  mayWatch,
  runWithCache,
  type RunView,
  type ViewContext,
  type ViewMessage,
} from "../views/view.ts";
import { readTest, runsOf } from "./read-test.ts";
import { RunPoints } from "./run-points.ts";
import { SeriesSources } from "./series-sources.ts";

/** Interval of requests to operators while a run is open, in milliseconds. */
const pollMs = 500;
/** Largest number of runs that can be chosen for a comparison. */
const candidatesMax = 1_000;

interface ViewOptions {
  readonly type: ResourceType;
  readonly findOperators: FindOperators;
}

/** Returns the view of the latest run of one test: `part` with a {@link LoadTestsMessage} first and after each change. */
export function loadTestView(context: ViewContext, options: ViewOptions & { readonly ref: RunRef }): RunView {
  const { type, ref, findOperators } = options;
  return live(context, { refs: [ref], findOperators }, ({ cache }) => {
    const { namespace, name } = ref;
    return Promise.resolve({
      informers: [cache.informer(type, { namespace, fields: `metadata.name=${name}` })],
      hasCandidates: false,
    });
  });
}

/** Returns the view of several runs, which also lists the runs that can be added: `part` with a {@link LoadTestsMessage} first and after each change. */
export function comparisonView(
  context: ViewContext,
  { type, refs, findOperators }: ViewOptions & { readonly refs: readonly RunRef[] },
): RunView {
  return live(context, { refs, findOperators }, async ({ cache, signal }) => {
    if (await mayWatch(context, { type }, signal)) return { informers: [cache.informer(type)], hasCandidates: true };
    const namespaces = [...new Set(refs.map(({ namespace }) => namespace))];
    const allowed = await Promise.all(namespaces.map((namespace) => mayWatch(context, { type, namespace }, signal)));
    const refused = namespaces.find((_, index) => allowed[index] !== true);
    if (refused !== undefined || namespaces.length === 0)
      throw new RequestError(
        403,
        `You are not allowed to list and watch load tests ${refused === undefined ? "in all namespaces" : `in namespace ${refused}`}.`,
      );
    return { informers: namespaces.map((namespace) => cache.informer(type, { namespace })), hasCandidates: true };
  });
}

interface Opened {
  readonly informers: readonly AnyInformer[];
  readonly hasCandidates: boolean;
}

type Open = (parts: { readonly cache: Cache; readonly signal: AbortSignal }) => Promise<Opened>;

function live(
  context: ViewContext,
  { refs, findOperators }: { readonly refs: readonly RunRef[]; readonly findOperators: FindOperators },
  open: Open,
): RunView {
  return async (emit, signal) => {
    const stop = new AbortController();
    const ended = endedBy(signal, stop);
    const tests = new LiveLoadTests(context, { refs, findOperators, emit, signal: ended });
    let following = Promise.resolve();
    try {
      await runWithCache(context, { emit, signal }, async (cache) => {
        await tests.start(await open({ cache, signal }));
        following = tests.follow();
      });
    } finally {
      stop.abort(new Error("the view has ended"));
      await following;
    }
  };
}

interface LiveOptions {
  readonly refs: readonly RunRef[];
  readonly findOperators: FindOperators;
  readonly emit: (message: ViewMessage) => void;
  readonly signal: AbortSignal;
}

class LiveLoadTests {
  readonly #context: ViewContext;
  readonly #options: LiveOptions;
  readonly #runs: readonly RunPoints[];
  readonly #sources: SeriesSources;
  readonly #soon: () => void;
  readonly #lastTests: string[] = [];
  #opened: Opened = { informers: [], hasCandidates: false };
  #lastCandidates = "";
  #hasSearched = false;
  #isFirst = true;

  constructor(context: ViewContext, options: LiveOptions) {
    this.#context = context;
    this.#options = options;
    this.#runs = options.refs.map((ref) => new RunPoints(ref));
    this.#sources = new SeriesSources(context, options.findOperators);
    this.#soon = batched(context.clock, () => this.#send());
  }

  async start(opened: Opened): Promise<void> {
    this.#opened = opened;
    await Promise.all(opened.informers.map((informer) => informer.ready(this.#options.signal)));
    for (const informer of opened.informers) informer.subscribe(this.#soon);
    this.#send();
  }

  /** Reads points of runs that are not complete, until the signal aborts. Never rejects. */
  async follow(): Promise<void> {
    const { clock } = this.#context;
    const { signal } = this.#options;
    while (!signal.aborted) {
      const open = this.#runs.filter((run) => run.isOpen);
      if (open.length > 0) {
        // Only an aborted signal rejects.
        await this.#sources.read(open, signal).catch(() => undefined);
        this.#hasSearched = true;
        this.#send();
      }
      await clock.sleep(pollMs, signal).catch(() => undefined);
    }
  }

  #object({ namespace, name }: RunRef): Stored<KubeObject> | undefined {
    for (const informer of this.#opened.informers) {
      const found = informer.get(formatKey({ namespace, name }));
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #send(): void {
    const { emit, signal } = this.#options;
    if (signal.aborted) return;
    const changes = this.#runs.flatMap((run, index) => this.#changeOf(run, index));
    const candidates = this.#opened.hasCandidates ? this.#candidates() : undefined;
    const text = JSON.stringify(candidates ?? "");
    const hasNew = candidates !== undefined && text !== this.#lastCandidates;
    if (changes.length === 0 && !hasNew && !this.#isFirst) return;
    this.#isFirst = false;
    this.#lastCandidates = text;
    const data: LoadTestsMessage = { changes, ...(hasNew ? { candidates } : {}) };
    emit({ event: "part", data });
  }

  #changeOf(run: RunPoints, index: number): LoadTestChange[] {
    const object = this.#object(run.ref);
    run.observe(object);
    const test = object === undefined ? undefined : this.#viewOf(object, run);
    const text = JSON.stringify(test ?? null);
    const change = run.takeChange();
    const isSame = text === this.#lastTests[index];
    this.#lastTests[index] = text;
    if (isSame && change === undefined) return [];
    return [{ index, ...(isSame ? {} : { test: test ?? null }), ...change }];
  }

  #viewOf(object: Stored<KubeObject>, run: RunPoints): LoadTestView | undefined {
    const test = readTest(object, run.run);
    if (test === undefined) return undefined;
    return { ...test, source: run.source, note: this.#noteOf(run) };
  }

  #noteOf(run: RunPoints): string {
    const { problem } = this.#sources;
    if (!this.#hasSearched) return "";
    if (run.source === "status")
      return `The charts begin when this page was opened, because the operator process cannot be asked. ${problem}`.trim();
    if (run.source !== "none") return "";
    if (!run.isFinished) return problem === "" ? "" : `Waiting for statistics in the status. ${problem}`;
    return "The statistics of this run were not kept. To keep them, set spec.results.store to ConfigMap.";
  }

  #candidates(): RunRef[] {
    return this.#opened.informers
      .flatMap((informer) => informer.list())
      .flatMap((object) => {
        const { namespace = "", name } = object.metadata;
        return runsOf(object).map(({ run }) => ({ namespace, name, run }));
      })
      .toSorted((one, other) => keyOf(one).localeCompare(keyOf(other)) || (other.run ?? 0) - (one.run ?? 0))
      .slice(0, candidatesMax);
  }
}

function keyOf({ namespace, name }: RunRef): string {
  return `${namespace}/${name}`;
}
