import { formatGroupResource, type KubeObject, type ResourceType, type Stored } from "@homeostat/core";
import type { Cache } from "@homeostat/runtime";
import type { KindSummary, LastChange, Overview, OverviewChange, OverviewRow } from "../api/types.ts";
import { objectHealth } from "../health/object-health.ts";
import { type AnyInformer, type CustomKind, customKinds } from "./kinds.ts";
import { batched, mayWatch, runWithCache, type RunView, type ViewContext, type ViewMessage } from "./view.ts";

/** Selection of an overview. */
export interface OverviewOptions {
  /** A single namespace; undefined for all namespaces and cluster-scoped objects. */
  readonly namespace?: string | undefined;
}

/** Returns the view of all custom resources: `overview` first, then `change` for changed, new and deleted objects. */
export function overviewView(context: ViewContext, options: OverviewOptions): RunView {
  return (emit, signal) =>
    runWithCache(context, { emit, signal }, (cache) =>
      new LiveOverview(cache, context, { ...options, emit, signal }).start(),
    );
}

interface LiveOptions extends OverviewOptions {
  readonly emit: (message: ViewMessage) => void;
  readonly signal: AbortSignal;
}

/** An open kind: its informer, or the reason why there is none. */
interface OpenKind {
  readonly summary: KindSummary;
  readonly informer: AnyInformer | undefined;
  /** UIDs of its objects, to remove their rows when the CRD is deleted. */
  readonly uids: Set<string>;
}

class LiveOverview {
  readonly #cache: Cache;
  readonly #context: ViewContext;
  readonly #options: LiveOptions;
  readonly #kinds = new Map<string, OpenKind>();
  readonly #changed = new Map<string, OverviewRow>();
  readonly #removed = new Set<string>();
  readonly #soon: () => void;
  #haveKindsChanged = false;
  #isStarted = false;

  constructor(cache: Cache, context: ViewContext, options: LiveOptions) {
    this.#cache = cache;
    this.#context = context;
    this.#options = options;
    this.#soon = batched(context.clock, () => this.#flush());
  }

  async start(): Promise<void> {
    const { signal, emit } = this.#options;
    const kinds = await customKinds(this.#cache, this.#context, signal);
    let updating = this.#update(kinds.list());
    const update = batched(this.#context.clock, () => {
      if (signal.aborted) return;
      // A failed review of access is repeated with the next change of a CRD; the stream reports the API server's failure meanwhile.
      updating = updating.then(() => this.#update(kinds.list())).catch(() => undefined);
    });
    kinds.onChange(update);
    await updating;
    await Promise.all([...this.#kinds.values()].flatMap(({ informer }) => informer?.ready(signal) ?? []));
    const rows = [...this.#kinds.values()].flatMap((kind) => this.#rowsOf(kind));
    this.#changed.clear();
    this.#removed.clear();
    this.#isStarted = true;
    this.#haveKindsChanged = false;
    emit({ event: "overview", data: { kinds: this.#summaries(), rows } satisfies Overview });
  }

  #flush(): void {
    const { emit, signal } = this.#options;
    if (signal.aborted || !this.#isStarted) return;
    const change: OverviewChange = {
      ...(this.#haveKindsChanged ? { kinds: this.#summaries() } : {}),
      rows: [...this.#changed.values()],
      removed: [...this.#removed],
    };
    this.#changed.clear();
    this.#removed.clear();
    this.#haveKindsChanged = false;
    if (change.rows.length > 0 || change.removed.length > 0 || change.kinds !== undefined)
      emit({ event: "change", data: change });
  }

  /** Opens informers of new kinds and closes those of kinds that are gone. */
  async #update(kinds: readonly CustomKind[]): Promise<void> {
    const { namespace, signal } = this.#options;
    const shown = kinds.filter(({ type }) => namespace === undefined || type.scope === "Namespaced");
    const ids = new Set(shown.map(idOf));
    for (const [id, { informer, uids }] of this.#kinds) {
      if (ids.has(id)) continue;
      informer?.[Symbol.dispose]();
      for (const uid of uids) this.#remove(uid);
      this.#kinds.delete(id);
      this.#haveKindsChanged = true;
    }
    const added = shown.filter((kind) => !this.#kinds.has(idOf(kind)));
    const allowed = await Promise.all(added.map(({ type }) => mayWatch(this.#context, { type, namespace }, signal)));
    added.forEach((kind, index) => this.#open(kind, allowed[index] === true));
    this.#soon();
  }

  #open(kind: CustomKind, isAllowed: boolean): void {
    const { namespace } = this.#options;
    const { group, version, kind: name, plural, scope } = kind.type;
    const where = namespace === undefined ? "in all namespaces" : `in namespace ${namespace}`;
    const summary: KindSummary = {
      group,
      version,
      kind: name,
      plural,
      isNamespaced: scope === "Namespaced",
      operator: kind.operator,
      problem: isAllowed
        ? undefined
        : `You are not allowed to list and watch ${formatGroupResource(kind.type)} ${where}.`,
    };
    const informer = isAllowed ? this.#cache.informer(kind.type, { namespace, managedFields: true }) : undefined;
    const opened = { summary, informer, uids: new Set<string>() };
    this.#kinds.set(idOf(kind), opened);
    this.#haveKindsChanged = true;
    informer?.subscribe(({ type, object }) => {
      if (type === "delete") {
        opened.uids.delete(object.metadata.uid);
        this.#remove(object.metadata.uid);
      } else {
        opened.uids.add(object.metadata.uid);
        this.#removed.delete(object.metadata.uid);
        if (this.#isStarted) this.#changed.set(object.metadata.uid, overviewRow(object, kind.type));
      }
      this.#soon();
    });
  }

  #remove(uid: string): void {
    this.#changed.delete(uid);
    this.#removed.add(uid);
  }

  #rowsOf({ informer, summary }: OpenKind): OverviewRow[] {
    return informer?.list().map((object) => overviewRow(object, summary)) ?? [];
  }

  #summaries(): KindSummary[] {
    return [...this.#kinds.values()].map(({ summary }) => summary);
  }
}

function idOf({ type }: CustomKind): string {
  return `${type.plural}.${type.group}/${type.version}`;
}

/** Returns the row of an object. */
export function overviewRow(
  object: Stored<KubeObject>,
  { group, version, kind, plural }: Pick<ResourceType, "group" | "version" | "kind" | "plural">,
): OverviewRow {
  const { uid, namespace, name, creationTimestamp = "" } = object.metadata;
  const health = objectHealth(object, { group, kind });
  return {
    uid,
    group,
    version,
    kind,
    plural,
    namespace,
    name,
    ...health,
    createdAt: creationTimestamp,
    lastChange: lastChangeOf(object),
  };
}

/** Returns the newest entry of `managedFields`; undefined if no entry has a time. */
function lastChangeOf({ metadata: { managedFields = [] } }: Stored<KubeObject>): LastChange | undefined {
  let last: LastChange | undefined;
  for (const { time, manager = "unknown", subresource = "" } of managedFields)
    if (time !== undefined && (last === undefined || time >= last.at)) last = { at: time, manager, subresource };
  return last;
}
