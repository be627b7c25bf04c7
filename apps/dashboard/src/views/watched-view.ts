import { formatGroupResource, type KubeObject, type ResourceType, type Stored } from "@homeostat/core";
import type { Cache } from "@homeostat/runtime";
import { batched, mayWatch, runWithCache, type RunView, type ViewContext } from "./view.ts";

/** Selection of the objects of a kind. */
export interface WatchedSelection {
  /** Undefined for all namespaces. */
  readonly namespace?: string | undefined;
  /** Name of a single object. */
  readonly name?: string | undefined;
}

/** Opens the objects of kinds for a view. */
export interface Watcher {
  /**
   * Watches the objects of a kind. Returns a function with the present objects. Of a kind that the API server does not serve or that the user may not
   * watch, there are none, and {@link Watcher.notes} has the reason.
   */
  objects<T extends KubeObject>(
    type: ResourceType<T>,
    selection: WatchedSelection,
  ): Promise<() => readonly Stored<T>[]>;
  /** Reasons for missing objects, for the user. */
  readonly notes: readonly string[];
}

/** Opens what a view needs. Returns the function that builds the state of the view after each change; undefined if the object of the view does not exist. */
export type OpenWatched = (
  watcher: Watcher,
  signal: AbortSignal,
) => Promise<() => object | undefined | Promise<object>>;

/**
 * Returns a view that sends a whole state, under the name of an event, after each change of the objects that it watches. A state that is equal to the one
 * before is not sent.
 */
export function watchedView(context: ViewContext, event: string, open: OpenWatched): RunView {
  return (emit, signal) =>
    runWithCache(context, { emit, signal }, async (cache) => {
      let build: (() => object | undefined | Promise<object>) | undefined;
      let lastText: string | undefined;
      const send = async (): Promise<void> => {
        const data = await build?.();
        const text = JSON.stringify(data ?? null);
        if (signal.aborted || text === lastText) return;
        lastText = text;
        emit(data === undefined ? { event: "missing", data: {} } : { event, data });
      };
      let sending = Promise.resolve();
      // States are built one after another. A request of a state that fails is sent again with the next change.
      const soon = batched(context.clock, () => {
        if (build !== undefined && !signal.aborted) sending = sending.then(send).catch(() => undefined);
      });
      build = await open(new CacheWatcher(cache, context, { soon, signal }), signal);
      await send();
    });
}

class CacheWatcher implements Watcher {
  readonly notes: string[] = [];
  readonly #cache: Cache;
  readonly #context: ViewContext;
  readonly #soon: () => void;
  readonly #signal: AbortSignal;

  constructor(
    cache: Cache,
    context: ViewContext,
    { soon, signal }: { readonly soon: () => void; readonly signal: AbortSignal },
  ) {
    this.#cache = cache;
    this.#context = context;
    this.#soon = soon;
    this.#signal = signal;
  }

  async objects<T extends KubeObject>(
    type: ResourceType<T>,
    { namespace, name }: WatchedSelection,
  ): Promise<() => readonly Stored<T>[]> {
    const { client } = this.#context;
    const { group, kind } = type;
    const none = (note: string): (() => readonly Stored<T>[]) => {
      this.notes.push(note);
      return () => [];
    };
    if ((await client.mapper.byKind({ group, kind }, this.#signal)) === undefined)
      return none(`The API server does not serve ${formatGroupResource(type)}: its operator is not installed.`);
    if (!(await mayWatch(this.#context, { type, namespace }, this.#signal))) {
      const where = namespace === undefined ? "in all namespaces" : `in namespace ${namespace}`;
      return none(`You are not allowed to list and watch ${formatGroupResource(type)} ${where}.`);
    }
    const fields = name === undefined ? {} : { fields: `metadata.name=${name}` };
    const informer = this.#cache.informer(type, { namespace, ...fields });
    await informer.ready(this.#signal);
    informer.subscribe(this.#soon);
    return () => informer.list();
  }
}
