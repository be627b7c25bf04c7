import {
  type DeepReadonly,
  formatApiVersion,
  formatGroupResource,
  formatKey,
  type KubeObject,
  type ResourceType,
  type Stored,
} from "@homeostat/core";
import { Event, Namespace } from "@homeostat/kubernetes/core/v1";
import type { Cache, Informer } from "@homeostat/runtime";
import { offeredActions } from "../actions/run-action.ts";
import type { ConditionView, ObjectRef, ResourceView } from "../api/types.ts";
import { RequestError } from "../errors.ts";
import { hideSecrets, isSecretKind } from "../fields/hide-secrets.ts";
import { yamlLines } from "../fields/yaml-lines.ts";
import { recordIn, textIn } from "../health/fields.ts";
import { conditionsIn, objectHealth } from "../health/object-health.ts";
import type { Runbook } from "../runbook/runbook.ts";
import { buildTree, ownerUids, type TreeCandidate } from "./build-tree.ts";
import { eventView } from "./event-view.ts";
import { type AnyInformer, customKinds } from "./kinds.ts";
import { type TreeKind, treeKinds } from "./tree-kinds.ts";
import { batched, mayWatch, runWithCache, type RunView, type ViewContext, type ViewMessage } from "./view.ts";

/** Largest number of objects of a tree. */
const nodesMax = 2_000;
/** Largest number of events. */
const eventsMax = 200;

/** Options of {@link resourceView}. */
export interface ResourceOptions {
  readonly type: ResourceType;
  readonly ref: ObjectRef;
  readonly runbook: Runbook;
}

/** Returns the view of one object: `resource` with all of it after each change, or `missing` while it does not exist. */
export function resourceView(context: ViewContext, options: ResourceOptions): RunView {
  return (emit, signal) =>
    runWithCache(context, { emit, signal }, (cache) =>
      new LiveResource(cache, context, { ...options, emit, signal }).start(),
    );
}

interface LiveOptions extends ResourceOptions {
  readonly emit: (message: ViewMessage) => void;
  readonly signal: AbortSignal;
}

class LiveResource {
  readonly #cache: Cache;
  readonly #context: ViewContext;
  readonly #options: LiveOptions;
  readonly #informers = new Map<
    string,
    { readonly type: ResourceType; readonly list: () => readonly Stored<KubeObject>[] }
  >();
  readonly #hiddenKinds = new Set<string>();
  readonly #soon: () => void;
  #root: AnyInformer | undefined;
  /** Informers of events by namespace. */
  readonly #events = new Map<string, Informer<Event>>();
  #kinds: readonly TreeKind[] = [];
  #namespaces = new Set<string>();
  #mayDelete = false;
  #mayPatch = false;
  #lastText = "";

  constructor(cache: Cache, context: ViewContext, options: LiveOptions) {
    this.#cache = cache;
    this.#context = context;
    this.#options = options;
    this.#soon = batched(context.clock, () => this.#send());
  }

  async start(): Promise<void> {
    const { type, ref, signal } = this.#options;
    const { namespace, name } = ref;
    const { client } = this.#context;
    // Without this, the watch would be tried again and again, and the page would show nothing.
    if (!(await mayWatch(this.#context, { type, namespace, name }, signal))) {
      const key = formatKey(namespace === undefined ? { name } : { namespace, name });
      throw new RequestError(403, `You are not allowed to list and watch ${formatGroupResource(type)} ${key}.`);
    }
    this.#root = this.#cache.informer(type, {
      namespace,
      fields: `metadata.name=${name}`,
      managedFields: true,
      ...(isSecretKind(type) ? { metadataOnly: true } : {}),
    });
    const [custom, deletion, patching] = await Promise.all([
      customKinds(this.#cache, this.#context, signal),
      client.reviewOwnAccess({ verb: "delete", type, namespace, name }, { signal }),
      client.reviewOwnAccess({ verb: "patch", type, namespace, name }, { signal }),
      this.#root.ready(signal),
    ]);
    this.#mayDelete = deletion.isAllowed;
    this.#mayPatch = patching.isAllowed;
    const customTypes = custom.list().filter((kind) => kind.type.scope === "Namespaced");
    this.#kinds = [...treeKinds, ...customTypes.map((kind) => ({ type: kind.type, isMetadataOnly: false }))];
    if (namespace === undefined) await this.#followNamespaces();
    else await this.#openNamespace(namespace);
    // Events of cluster-scoped objects are in the namespace default.
    await this.#openEvents(namespace ?? "default");
    this.#root.subscribe(this.#soon);
    this.#send();
  }

  /** Opens the namespaces that a cluster-scoped object owns or names in its status, and those that it gets later. */
  async #followNamespaces(): Promise<void> {
    const { signal } = this.#options;
    if (!(await mayWatch(this.#context, { type: Namespace }, signal))) {
      this.#hiddenKinds.add("namespaces");
      return;
    }
    const namespaces = this.#cache.informer(Namespace);
    this.#informers.set("namespaces", { type: Namespace, list: () => namespaces.list() });
    await namespaces.ready(signal);
    const open = async (): Promise<void> => {
      const object = this.#object();
      if (object === undefined) return;
      const named = textIn(recordIn(object, "status"), "namespace");
      const found = namespaces
        .list()
        .filter((one) => one.metadata.name === named || ownerUids(one).includes(object.metadata.uid));
      await Promise.all(found.map(({ metadata }) => this.#openNamespace(metadata.name)));
    };
    await open();
    // A failed review of access is repeated with the next change of a namespace.
    namespaces.subscribe(() => void open().catch(() => undefined));
  }

  /** Opens the informers of a namespace for all kinds that the user may read. */
  async #openNamespace(namespace: string): Promise<void> {
    if (this.#namespaces.has(namespace)) return;
    this.#namespaces.add(namespace);
    const { signal } = this.#options;
    const allowed = await Promise.all(
      this.#kinds.map(({ type }) => mayWatch(this.#context, { type, namespace }, signal)),
    );
    const opened = this.#kinds.flatMap(({ type, isMetadataOnly }, index) => {
      if (allowed[index] !== true) {
        this.#hiddenKinds.add(formatGroupResource(type));
        return [];
      }
      const informer: AnyInformer = isMetadataOnly
        ? this.#cache.informer(type, { namespace, metadataOnly: true })
        : this.#cache.informer(type, { namespace });
      this.#informers.set(`${formatGroupResource(type)} ${namespace}`, { type, list: () => informer.list() });
      return [informer];
    });
    await Promise.all([...opened.map((informer) => informer.ready(signal)), this.#openEvents(namespace)]);
    for (const informer of opened) informer.subscribe(this.#soon);
    this.#soon();
  }

  async #openEvents(namespace: string): Promise<void> {
    const { signal } = this.#options;
    if (this.#events.has(namespace)) return;
    if (!(await mayWatch(this.#context, { type: Event, namespace }, signal))) {
      this.#hiddenKinds.add("events");
      return;
    }
    const events = this.#cache.informer(Event, { namespace });
    this.#events.set(namespace, events);
    await events.ready(signal);
    events.subscribe(this.#soon);
  }

  #object(): Stored<KubeObject> | undefined {
    const { namespace, name } = this.#options.ref;
    return this.#root?.get(formatKey(namespace === undefined ? { name } : { namespace, name }));
  }

  #send(): void {
    const { emit, signal } = this.#options;
    if (signal.aborted) return;
    const object = this.#object();
    const data = object === undefined ? undefined : this.#viewOf(object);
    const text = JSON.stringify(data ?? null);
    if (text === this.#lastText) return;
    this.#lastText = text;
    emit(data === undefined ? { event: "missing", data: {} } : { event: "resource", data });
  }

  #viewOf(stored: Stored<KubeObject>): ResourceView {
    const { type, ref, runbook } = this.#options;
    const candidates: TreeCandidate[] = [...this.#informers.values()].flatMap((one) =>
      one.list().map((object) => ({ type: one.type, object })),
    );
    const { nodes, omitted } = buildTree({ type, object: stored }, candidates, nodesMax);
    const uids = new Set(nodes.map(({ uid }) => uid));
    const events = [...this.#events.values()]
      .flatMap((informer) => informer.list())
      .filter(({ involvedObject }) => uids.has(involvedObject.uid ?? ""))
      .map(eventView)
      .toSorted((one, other) => other.at.localeCompare(one.at))
      .slice(0, eventsMax);
    const object = hideSecrets(withKind(stored, type), type);
    const status = recordIn(object, "status");
    return {
      ref,
      uid: stored.metadata.uid,
      resourceVersion: stored.metadata.resourceVersion,
      health: objectHealth(stored, type),
      tree: nodes,
      treeOmitted: omitted,
      hiddenKinds: [...this.#hiddenKinds].toSorted(),
      conditions: conditionsIn(status).map((condition) => explained(condition, type, runbook)),
      events,
      yaml: yamlLines(object),
      labels: stored.metadata.labels ?? {},
      spec: recordIn(object, "spec") ?? null,
      status: status ?? null,
      actions: this.#mayPatch ? offeredActions(stored, type) : [],
      mayDelete: this.#mayDelete,
    };
  }
}

/** Returns an object with the kind that it has, not with that of its representation. */
function withKind(object: Stored<KubeObject>, { group, version, kind }: ResourceType): DeepReadonly<KubeObject> {
  return { ...object, apiVersion: formatApiVersion({ group, version }), kind };
}

function explained(
  condition: Omit<ConditionView, "meaning" | "action">,
  { kind }: ResourceType,
  runbook: Runbook,
): ConditionView {
  const entry = runbook.explain({ kind, ...condition });
  return { ...condition, meaning: entry?.meaning, action: entry?.action };
}
