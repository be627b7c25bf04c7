import { type Clock, isEqual, type JsonRecord, nextTurn, type Random } from "@homeostat/core";
import { keyPrefix } from "../resources/keys.ts";
import type { CustomKind, Kinds } from "../registry/kinds.ts";
import type { Registry } from "../registry/registry.ts";
import { lostKey, type Store } from "../storage/store.ts";
import type { WatchHub } from "../watch/hub.ts";
import { isTrue, withCondition } from "./conditions.ts";
import type { Converter } from "./converter.ts";
import { CustomConversion } from "./custom-conversion.ts";
import { customKinds } from "./custom-kind.ts";
import { type ConversionWebhook, type Definition, readDefinition } from "./definition.ts";
import { definitionPrefix, DefinitionRegistry, type StoredDefinition } from "./definition-registry.ts";
import { withApproval, withEstablished } from "./establish.ts";
import { withNames } from "./naming.ts";
import { fieldOf, recordOf, textOf } from "../values/properties.ts";
import { isTerminating, terminatingConditions, withoutCleanupFinalizer } from "./terminating.ts";
import { webhookConverter } from "./webhook-converter.ts";

/** Calls a conversion webhook; resolves with the body of a successful response. */
export type CallConversionWebhook = (webhook: ConversionWebhook, body: string) => Promise<string>;

/** Options of {@link CustomResources}. */
export interface CustomResourcesOptions {
  readonly registry: Registry;
  readonly kinds: Kinds;
  readonly store: Store<JsonRecord>;
  readonly hub: WatchHub<JsonRecord>;
  readonly clock: Clock;
  readonly random: Random;
  readonly callConversionWebhook: CallConversionWebhook;
  /** Called with errors of background work. */
  readonly onError?: (error: unknown) => void;
}

/** A served resource. */
interface ServedResource {
  readonly group: string;
  readonly plural: string;
  /** The parts of the definition that the kinds were built from; if they change, the kinds are rebuilt. */
  readonly parts: readonly unknown[];
  readonly kinds: readonly CustomKind[];
  readonly asStoredSince: number | undefined;
}

/** Time to wait for the deletion of all objects of a deleted definition before its condition reports the delay. */
const removalMs = 60_000;
/** Time that watches continue after their resource is no longer served, or its schema changed. */
const watchGraceMs = 1000;

/**
 * Serves custom resources: for each definition its kinds, accepted names, conditions, and deletion.
 *
 * Combines the CRD controllers of apiextensions-apiserver (naming, establishing, approval, finalizing) in one queue of
 * definition names that follows the store. A definition is served before its condition `Established` is written, so
 * clients that wait for the condition never see a 404. Work remains until {@link CustomResources.settled} resolves.
 */
export class CustomResources implements Disposable {
  readonly #options: CustomResourcesOptions;
  readonly #definitions: DefinitionRegistry;
  readonly #served = new Map<string, ServedResource>();
  readonly #queued = new Set<string>();
  readonly #terminating = new Set<string>();
  readonly #stop = new AbortController();
  /** Timers and pending waits, disposed on stop. */
  readonly #owned = new Set<Disposable>();
  readonly #unsubscribe: () => void;
  #seen: number;
  #work: Promise<void> | undefined;

  constructor(options: CustomResourcesOptions) {
    const { registry, kinds, store } = options;
    this.#options = options;
    this.#definitions = new DefinitionRegistry(registry, kinds);
    this.#seen = store.visibleRevision;
    this.#unsubscribe = store.subscribe((visible) => this.#follow(visible));
    for (const object of this.#definitions.list()) {
      const name = nameOf(object);
      this.#serve(name, this.#definitions.get(name));
      this.#enqueue(name);
    }
  }

  /**
   * Resolves when there is no work left that can be done now. Terminating definitions that wait for finalizers do not
   * count.
   */
  async settled(): Promise<void> {
    while (this.#work !== undefined) await this.#work;
  }

  [Symbol.dispose](): void {
    this.#unsubscribe();
    this.#stop.abort();
    this.#queued.clear();
    for (const each of this.#owned) each[Symbol.dispose]();
    this.#owned.clear();
  }

  #follow(visible: number): void {
    const { store } = this.#options;
    for (let at = this.#seen + 1; at <= visible; at += 1) {
      const key = store.change(at)?.key;
      if (key?.startsWith(definitionPrefix) === true) this.#enqueue(key.slice(definitionPrefix.length));
      // The status of a definition may be among the lost writes.
      if (key === lostKey) for (const object of this.#definitions.list()) this.#enqueue(nameOf(object));
    }
    this.#seen = visible;
  }

  #enqueue(name: string): void {
    this.#queued.add(name);
    this.#work ??= this.#run().finally(() => {
      this.#work = undefined;
      const [next] = this.#queued;
      if (next !== undefined && !this.#stop.signal.aborted) this.#enqueue(next);
    });
  }

  async #run(): Promise<void> {
    // Respond to the write of the definition first.
    await nextTurn();
    for (const name of this.#queued) {
      if (this.#stop.signal.aborted) return;
      this.#queued.delete(name);
      await this.#sync(name).catch((error: unknown) => this.#options.onError?.(error));
    }
  }

  async #sync(name: string): Promise<void> {
    const found = this.#definitions.get(name);
    if (found === undefined) {
      this.#serve(name, undefined);
      this.#enqueueOthers(name, name.slice(name.indexOf(".") + 1));
      return;
    }
    const { object } = found;
    const nowMs = this.#options.clock.now();
    const group = textOf(recordOf(object, "spec"), "group");
    const others = this.#definitions
      .list()
      .filter((each) => textOf(recordOf(each, "spec"), "group") === group && nameOf(each) !== name);
    const named = withNames(withApproval(object, nowMs), others, nowMs);
    if (named !== object) {
      // The definition is queued again either way: by this write, or by the concurrent one that made it fail.
      if (await this.#definitions.writeStatus(named)) this.#enqueueOthers(name, group);
      return;
    }
    this.#serve(name, found);
    const updated = withEstablished(object, nowMs);
    if (updated !== object) {
      await this.#definitions.writeStatus(updated);
      return;
    }
    if (isTerminating(object)) this.#terminate(name);
  }

  #enqueueOthers(name: string, group: string): void {
    for (const object of this.#definitions.list()) {
      const other = nameOf(object);
      if (other !== name && textOf(recordOf(object, "spec"), "group") === group) this.#enqueue(other);
    }
  }

  /** Serves the kinds of a definition if its names are accepted; otherwise stops serving its resource. */
  #serve(name: string, found: StoredDefinition | undefined): void {
    const { kinds, clock } = this.#options;
    const before = this.#served.get(name);
    const isServed =
      found !== undefined && (isTrue(found.object, "NamesAccepted") || isTrue(found.object, "Established"));
    if (!isServed) {
      if (before === undefined) return;
      this.#served.delete(name);
      kinds.remove(before.group, before.plural);
      this.#endWatches(keyPrefix(before.group, before.plural));
      return;
    }
    const { object, revision } = found;
    const parts = [
      fieldOf(object, "spec"),
      fieldOf(recordOf(object, "status"), "acceptedNames"),
      isTrue(object, "Terminating"),
    ];
    if (before !== undefined && isEqual(before.parts, parts)) return;
    const definition = readDefinition(object);
    const { group } = definition;
    const { plural } = definition.acceptedNames;
    const prefix = keyPrefix(group, plural);
    const isSameSpec = before !== undefined && isEqual(before.parts[0], parts[0]);
    const asStoredSince = isSameSpec ? before.asStoredSince : this.#matchesSchemaSince(prefix, revision);
    const conversion = new CustomConversion(definition, this.#converterOf(definition));
    const customKindList = customKinds(definition, {
      clock,
      conversion,
      ...(asStoredSince === undefined ? {} : { revision: asStoredSince }),
    });
    this.#served.set(name, { group, plural, parts, kinds: customKindList, asStoredSince });
    // Watches have sent objects according to the old schema; the real server ends such watches as well.
    if (before !== undefined && !isEqual(before.parts.slice(0, 2), parts.slice(0, 2))) this.#endWatches(prefix);
    kinds.replace(group, plural, customKindList);
  }

  /** Closes the current watches after a grace period, so that they still deliver the events up to now. */
  #endWatches(prefix: string): void {
    const watchers = this.#options.hub.of(prefix);
    if (watchers.length === 0) return;
    const timer = this.#options.clock.schedule(watchGraceMs, () => {
      this.#owned.delete(timer);
      for (const watcher of watchers) watcher.close();
    });
    this.#owned.add(timer);
  }

  /**
   * Returns the revision from which on stored objects match the schema and can be served as stored. Undefined if all of
   * them do, because none is older than the definition. Older objects must be pruned and defaulted on every read.
   */
  #matchesSchemaSince(prefix: string, revision: number): number | undefined {
    const oldest = this.#definitions.oldest(prefix);
    return oldest !== undefined && oldest < revision ? revision : undefined;
  }

  #converterOf({ conversion }: Definition): Converter | undefined {
    if (conversion.strategy === "None") return undefined;
    const { random, callConversionWebhook } = this.#options;
    const { webhook } = conversion;
    const { reviewVersions } = webhook;
    return webhookConverter({ call: (body) => callConversionWebhook(webhook, body), reviewVersions, random });
  }

  /** Deletes all objects of a definition and then removes its finalizer. Runs in the background. */
  #terminate(name: string): void {
    if (this.#terminating.has(name)) return;
    this.#terminating.add(name);
    this.#runTermination(name)
      .catch((error: unknown) => this.#options.onError?.(error))
      .finally(() => {
        this.#terminating.delete(name);
        // The definition changed in between, or the wait timed out: start again.
        const found = this.#definitions.get(name);
        if (found !== undefined && isTerminating(found.object) && !this.#stop.signal.aborted) this.#enqueue(name);
      });
  }

  async #runTermination(name: string): Promise<void> {
    const { clock } = this.#options;
    const writeCondition = async (
      condition: Parameters<typeof withCondition>[1],
      removesFinalizer = false,
    ): Promise<boolean> => {
      const found = this.#definitions.get(name);
      if (found === undefined || !isTerminating(found.object)) return false;
      const updated = withCondition(found.object, condition, clock.now());
      return this.#definitions.writeStatus(removesFinalizer ? withoutCleanupFinalizer(updated) : updated);
    };
    if (!(await writeCondition(terminatingConditions.inProgress))) return;
    const found = this.#definitions.get(name);
    if (found === undefined) return;
    if (!isTrue(found.object, "Established")) {
      await writeCondition(terminatingConditions.neverEstablished, true);
      return;
    }
    const kinds = this.#served.get(name)?.kinds ?? [];
    const [first] = kinds;
    const stored = kinds.find(({ kind }) => kind.storedApiVersion.endsWith(`/${kind.resource.version}`)) ?? first;
    if (stored !== undefined) {
      try {
        await this.#definitions.deleteObjects(stored.kind);
      } catch (error) {
        await writeCondition(terminatingConditions.failed(error instanceof Error ? error.message : String(error)));
        await clock.sleep(1000, this.#stop.signal).catch(() => undefined);
        return;
      }
    }
    const definition = readDefinition(found.object);
    const prefix = keyPrefix(definition.group, definition.acceptedNames.plural);
    if (await this.#waitUntilEmpty(prefix)) await writeCondition(terminatingConditions.completed, true);
    else if (!this.#stop.signal.aborted)
      await writeCondition(terminatingConditions.unconfirmed("context deadline exceeded"));
  }

  /** Waits until the last object of a resource is deleted. Returns false if the time is up first. */
  async #waitUntilEmpty(prefix: string): Promise<boolean> {
    const { store, clock } = this.#options;
    const isEmpty = (): boolean => this.#definitions.count(prefix) === 0;
    if (isEmpty()) return true;
    return new Promise((resolve) => {
      const finish = (result: boolean): void => {
        unsubscribe();
        timer[Symbol.dispose]();
        this.#owned.delete(stopping);
        resolve(result);
      };
      const stopping: Disposable = { [Symbol.dispose]: () => finish(false) };
      const timer = clock.schedule(removalMs, () => finish(isEmpty()));
      const unsubscribe = store.subscribe(() => {
        if (isEmpty()) finish(true);
      });
      this.#owned.add(stopping);
    });
  }
}

function nameOf(object: JsonRecord): string {
  return textOf(recordOf(object, "metadata"), "name");
}
