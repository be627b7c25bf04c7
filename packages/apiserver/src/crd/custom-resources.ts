import { type Clock, isEqual, type JsonRecord, nextTurn, type Random } from "@homeostat/core";
import { keyPrefix } from "../registry/keys.ts";
import type { CustomKind, Kinds } from "../registry/kinds.ts";
import type { Registry } from "../registry/registry.ts";
import { lostKey, type Store } from "../storage/store.ts";
import type { WatchHub } from "../watch/hub.ts";
import { holds, withCondition } from "./conditions.ts";
import type { Converter } from "./converter.ts";
import { CustomConversion } from "./custom-conversion.ts";
import { customKinds } from "./custom-kind.ts";
import { type ConversionWebhook, type Definition, readDefinition } from "./definition.ts";
import { definitionPrefix, DefinitionRegistry, type StoredDefinition } from "./definition-registry.ts";
import { withApproval, withEstablished } from "./establish.ts";
import { withNames } from "./naming.ts";
import { fieldOf, recordOf, textOf } from "./read.ts";
import { isEnding, stages, withoutCleanup } from "./terminating.ts";
import { webhookConverter } from "./webhook-converter.ts";

/** Asks a conversion webhook: resolves with the body of a success. */
export type AskConversion = (webhook: ConversionWebhook, body: string) => Promise<string>;

/** What {@link CustomResources} works with. */
export interface CustomResourcesOptions {
  readonly registry: Registry;
  readonly kinds: Kinds;
  readonly store: Store<JsonRecord>;
  readonly hub: WatchHub<JsonRecord>;
  readonly clock: Clock;
  readonly random: Random;
  readonly askConversion: AskConversion;
  /** Told of what went wrong where nobody waits for an answer. */
  readonly onError?: (error: unknown) => void;
}

/** A resource that is served. */
interface Serving {
  readonly group: string;
  readonly plural: string;
  /** What it was made from; another means to make it anew. */
  readonly parts: readonly unknown[];
  readonly kinds: readonly CustomKind[];
  readonly asStoredSince: number | undefined;
}

/** How long the objects of a definition that is deleted may take before somebody is told. */
const removalMs = 60_000;
/** How long watches go on after what they watch is served no more, or in another way. */
const watchGraceMs = 1000;

/**
 * Serves the custom resources of a server: for each definition its kinds, its names and conditions, and its end.
 *
 * It follows the store. What a definition brings is served before its status says so; until {@link CustomResources.settled}
 * settles something may be left to do.
 */
export class CustomResources implements Disposable {
  readonly #options: CustomResourcesOptions;
  readonly #definitions: DefinitionRegistry;
  readonly #serving = new Map<string, Serving>();
  readonly #waiting = new Set<string>();
  readonly #ending = new Set<string>();
  readonly #stop = new AbortController();
  /** Timers, and ends of waiting. */
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
      this.#queue(name);
    }
  }

  /** Settles when everything is done that can be done now. Ends of definitions that wait for finalizers do not count. */
  async settled(): Promise<void> {
    while (this.#work !== undefined) await this.#work;
  }

  [Symbol.dispose](): void {
    this.#unsubscribe();
    this.#stop.abort();
    this.#waiting.clear();
    for (const each of this.#owned) each[Symbol.dispose]();
    this.#owned.clear();
  }

  #follow(visible: number): void {
    const { store } = this.#options;
    for (let at = this.#seen + 1; at <= visible; at += 1) {
      const key = store.change(at)?.key;
      if (key?.startsWith(definitionPrefix) === true) this.#queue(key.slice(definitionPrefix.length));
      // The status of a definition may be among the writes that were lost.
      if (key === lostKey) for (const object of this.#definitions.list()) this.#queue(nameOf(object));
    }
    this.#seen = visible;
  }

  #queue(name: string): void {
    this.#waiting.add(name);
    this.#work ??= this.#run().finally(() => {
      this.#work = undefined;
      const [next] = this.#waiting;
      if (next !== undefined && !this.#stop.signal.aborted) this.#queue(next);
    });
  }

  async #run(): Promise<void> {
    // Whoever wrote the definition is answered first.
    await nextTurn();
    for (const name of this.#waiting) {
      if (this.#stop.signal.aborted) return;
      this.#waiting.delete(name);
      await this.#sync(name).catch((error: unknown) => this.#options.onError?.(error));
    }
  }

  async #sync(name: string): Promise<void> {
    const found = this.#definitions.get(name);
    if (found === undefined) {
      this.#serve(name, undefined);
      this.#queueOthers(name, name.slice(name.indexOf(".") + 1));
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
      // Another change of the definition brings it here again.
      if (await this.#definitions.writeStatus(named)) this.#queueOthers(name, group);
      return;
    }
    this.#serve(name, found);
    const judged = withEstablished(object, nowMs);
    if (judged !== object) {
      await this.#definitions.writeStatus(judged);
      return;
    }
    if (isEnding(object)) this.#end(name);
  }

  #queueOthers(name: string, group: string): void {
    for (const object of this.#definitions.list()) {
      const other = nameOf(object);
      if (other !== name && textOf(recordOf(object, "spec"), "group") === group) this.#queue(other);
    }
  }

  /** Serves what a definition brings, if its names are accepted, and nothing else under its name. */
  #serve(name: string, found: StoredDefinition | undefined): void {
    const { kinds, clock } = this.#options;
    const before = this.#serving.get(name);
    const isServed =
      found !== undefined && (holds(found.object, "NamesAccepted") || holds(found.object, "Established"));
    if (!isServed) {
      if (before === undefined) return;
      this.#serving.delete(name);
      kinds.remove(before.group, before.plural);
      this.#endWatches(keyPrefix(before.group, before.plural));
      return;
    }
    const { object, revision } = found;
    const parts = [
      fieldOf(object, "spec"),
      fieldOf(recordOf(object, "status"), "acceptedNames"),
      holds(object, "Terminating"),
    ];
    if (before !== undefined && isEqual(before.parts, parts)) return;
    const definition = readDefinition(object);
    const { group } = definition;
    const { plural } = definition.acceptedNames;
    const prefix = keyPrefix(group, plural);
    const isSameSpec = before !== undefined && isEqual(before.parts[0], parts[0]);
    const asStoredSince = isSameSpec ? before.asStoredSince : this.#sinceOf(prefix, revision);
    const conversion = new CustomConversion(definition, this.#converterOf(definition));
    const made = customKinds(definition, {
      clock,
      conversion,
      ...(asStoredSince === undefined ? {} : { revision: asStoredSince }),
    });
    this.#serving.set(name, { group, plural, parts, kinds: made, asStoredSince });
    // Whoever watches was told of objects by another schema; the real server ends such watches, too.
    if (before !== undefined && !isEqual(before.parts.slice(0, 2), parts.slice(0, 2))) this.#endWatches(prefix);
    kinds.replace(group, plural, made);
  }

  /** Ends the watches that are running now, a moment later: what happened until now is to be told. */
  #endWatches(prefix: string): void {
    const watchers = this.#options.hub.of(prefix);
    if (watchers.length === 0) return;
    const timer = this.#options.clock.schedule(watchGraceMs, () => {
      this.#owned.delete(timer);
      for (const watcher of watchers) watcher.close();
    });
    this.#owned.add(timer);
  }

  /** Nobody needs to look at objects again that were all stored after their schema last changed. */
  #sinceOf(prefix: string, revision: number): number | undefined {
    const oldest = this.#definitions.oldest(prefix);
    return oldest !== undefined && oldest < revision ? revision : undefined;
  }

  #converterOf({ conversion }: Definition): Converter | undefined {
    if (conversion.strategy === "None") return undefined;
    const { random, askConversion } = this.#options;
    const { webhook } = conversion;
    const { reviewVersions } = webhook;
    return webhookConverter({ ask: (body) => askConversion(webhook, body), reviewVersions, random });
  }

  /** Removes all objects of a definition, and then what keeps it. Runs beside everything else. */
  #end(name: string): void {
    if (this.#ending.has(name)) return;
    this.#ending.add(name);
    this.#finish(name)
      .catch((error: unknown) => this.#options.onError?.(error))
      .finally(() => {
        this.#ending.delete(name);
        // Something came between, or the time was up: it begins anew.
        const found = this.#definitions.get(name);
        if (found !== undefined && isEnding(found.object) && !this.#stop.signal.aborted) this.#queue(name);
      });
  }

  async #finish(name: string): Promise<void> {
    const { clock } = this.#options;
    const say = async (stage: Parameters<typeof withCondition>[1], ends = false): Promise<boolean> => {
      const found = this.#definitions.get(name);
      if (found === undefined || !isEnding(found.object)) return false;
      const judged = withCondition(found.object, stage, clock.now());
      return this.#definitions.writeStatus(ends ? withoutCleanup(judged) : judged);
    };
    if (!(await say(stages.inProgress))) return;
    const found = this.#definitions.get(name);
    if (found === undefined) return;
    if (!holds(found.object, "Established")) {
      await say(stages.neverEstablished, true);
      return;
    }
    const kinds = this.#serving.get(name)?.kinds ?? [];
    const [first] = kinds;
    const stored = kinds.find(({ kind }) => kind.storedApiVersion.endsWith(`/${kind.resource.version}`)) ?? first;
    if (stored !== undefined) {
      try {
        await this.#definitions.deleteObjects(stored.kind);
      } catch (error) {
        await say(stages.failed(error instanceof Error ? error.message : String(error)));
        await clock.sleep(1000, this.#stop.signal).catch(() => undefined);
        return;
      }
    }
    const definition = readDefinition(found.object);
    const prefix = keyPrefix(definition.group, definition.acceptedNames.plural);
    if (await this.#emptied(prefix)) await say(stages.completed, true);
    else if (!this.#stop.signal.aborted) await say(stages.unconfirmed("context deadline exceeded"));
  }

  /** Whether the last object of a resource goes before the time is up. */
  async #emptied(prefix: string): Promise<boolean> {
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
