import {
  ArgumentError,
  asStored,
  type DeepReadonly,
  formatGroupResource,
  type KubeObject,
  parseLabelSelector,
  type ResourceType,
  type Stored,
} from "@homeostat/core";
import type { Informer } from "../cache/informer.ts";
import type { SelectionOptions } from "../cache/selection.ts";
import type { ManagedKind } from "../kinds/kinds.ts";
import { nameOf } from "../writes/live.ts";
import { describe } from "../writes/ownership.ts";
import { ownerIndex } from "../writes/reconcile-scope.ts";
import { decideObject, type ObjectStep } from "./decide.ts";
import {
  type DesiredBody,
  type DesiredObject,
  idOf,
  isSameKind,
  keyOfDesired,
  nameIn,
  type ObjectOutcome,
  type PlannedAction,
  type Tier,
} from "./desired.ts";
import { declaredKinds, groupKindOf, inventoryOf, writeInventory } from "./inventory.ts";
import { rulesOf } from "./built-in-rules.ts";
import type {
  ManagedObjects,
  OwnedQuery,
  PrunedObject,
  PruneOptions,
  SyncOptions,
  SyncResult,
} from "./managed-objects.ts";
import { deleteObject, type OwnedObject, readLive, releaseObject } from "./prune.ts";
import type { ReapplyTime } from "./reapply.ts";
import { findSettled, inputsOf, settledSet, type SyncInputs } from "./settled-sets.ts";
import { actionOf, resultOf, settledResult, summaryOf } from "./sync-result.ts";
import { type ManagedScope, writeObject, type WriteObjectOptions } from "./write-object.ts";

/** The informer of a managed kind. */
export type ManagedCache = Pick<Informer<KubeObject, typeof ownerIndex>, "get" | "by" | "versionOf" | "countBy">;

/** A managed kind with its informer; a kind that is not cached has none. */
export interface ManagedInformer {
  readonly kind: ManagedKind;
  readonly informer: ManagedCache | undefined;
}

/** A tier with its objects as given, and with their namespaces set. */
interface PlacedTier {
  readonly tier: Tier;
  readonly objects: readonly (readonly [given: DesiredObject, placed: DesiredObject])[];
}

/**
 * The managed objects of one owner, in one reconcile.
 *
 * Tiers are applied in order, and pruning comes last: objects that are not desired any more may still be in use until their replacements are applied
 * and ready.
 */
export class ManagedSet implements ManagedObjects {
  readonly #scope: ManagedScope;
  readonly #kinds: readonly ManagedInformer[];

  constructor(scope: ManagedScope, kinds: readonly ManagedInformer[]) {
    this.#scope = scope;
    this.#kinds = kinds;
  }

  owns(object: DeepReadonly<KubeObject>): boolean {
    return this.#scope.ownership.owns(this.#scope.object, object);
  }

  async sync(tiers: readonly Tier[] | (() => readonly Tier[]), options: SyncOptions = {}): Promise<SyncResult> {
    const result = await this.#sync(tiers, options);
    this.#scope.journal.decided?.("managed objects", summaryOf(result));
    return result;
  }

  async #sync(
    tiers: readonly Tier[] | (() => readonly Tier[]),
    { wasComplete = false, conflicts = "force", reapplyMs = 0, inputs, ...options }: SyncOptions,
  ): Promise<SyncResult> {
    const { reapplies, clock } = this.#scope;
    const { uid } = this.#scope.object.metadata;
    const time = { intervalMs: reapplyMs, nowMs: clock.now() };
    const isDue = reapplies.dueOf(uid, time);
    const syncInputs = inputsOf(this.#scope.object, { inputs, reapplyMs, ...options });
    const settled = syncInputs && findSettled({ scope: this.#scope, kinds: this.#kinds }, syncInputs, time.nowMs);
    if (settled !== undefined) {
      reapplies.done(uid, time);
      return settledResult(settled);
    }
    const placed = this.#place(typeof tiers === "function" ? tiers() : tiers);
    const isExpected = typeof wasComplete === "function" ? wasComplete : (): boolean => wasComplete;
    await this.#widenInventory();
    const outcomes = new Map<DesiredObject, ObjectOutcome>();
    let waitingFor: string | undefined;
    for (const { tier, objects } of placed) {
      for (const [given, desired] of objects) {
        const by = waitingFor === undefined ? failedRequirement(given, outcomes) : `tier ${waitingFor}`;
        outcomes.set(
          given,
          by === undefined
            ? await this.#write(desired, { isExpected: isExpected(given), isDue: isDue(nameIn(desired)), conflicts })
            : { result: "blocked", by },
        );
      }
      if (waitingFor === undefined && !isReady(tier, outcomes)) waitingFor = tier.name;
    }
    if ([...outcomes.values()].every((outcome) => "live" in outcome)) reapplies.done(uid, time);
    if (waitingFor !== undefined) {
      // No pruning yet: objects that the blocked tiers replace are needed until those are applied.
      return resultOf(this.#scope.object, { outcomes, pruned: [], waitingFor });
    }
    const undesired = this.#undesired(placed, options);
    if (syncInputs !== undefined && undesired.length === 0) this.#remember(syncInputs, { placed, outcomes, time });
    const pruned = await this.#delete(undesired);
    const retired = await this.#pruneRetired();
    return resultOf(this.#scope.object, { outcomes, pruned: [...pruned, ...retired], waitingFor });
  }

  async plan(tiers: readonly Tier[], options: PruneOptions = {}): Promise<readonly PlannedAction[]> {
    const placed = this.#place(tiers);
    const actions: PlannedAction[] = [];
    for (const { objects } of placed) {
      for (const [, desired] of objects) actions.push(actionOf(nameIn(desired), await this.#decide(desired)));
    }
    const undesired = this.#undesired(placed, options);
    return [...actions, ...undesired.map(({ object }) => ({ action: "delete", object: describe(object) }) as const)];
  }

  async *list(query: OwnedQuery = {}): AsyncGenerator<OwnedObject> {
    for (const { kind } of this.#kinds.toReversed()) yield* this.#listKind(kind, query);
  }

  async deleteAll(query?: OwnedQuery): Promise<readonly OwnedObject[]> {
    const left: OwnedObject[] = [];
    for await (const owned of this.list(query)) {
      const { propagation } = this.#kindOf(owned.type).kind.rules;
      if ((await deleteObject(this.#scope, owned, propagation)) === "deleting") left.push(owned);
    }
    return left;
  }

  async releaseAll(query?: OwnedQuery): Promise<void> {
    for await (const owned of this.list(query)) await releaseObject(this.#scope, owned);
  }

  /** Sets the namespaces of desired objects. Throws an `ArgumentError` for a set that contradicts itself or the definition of the controller. */
  #place(tiers: readonly Tier[]): readonly PlacedTier[] {
    const seen = new Set<string>();
    const home = this.#scope.object.metadata.namespace;
    const place = (given: DesiredObject): DesiredObject => {
      const { type, object } = given;
      const { rules, select } = this.#kindOf(type).kind;
      if (rules.retired) {
        const problem = `has a kind that is declared with \`retired\`; remove \`retired\` to manage ${type.kind} again.`;
        throw misuse(given, problem);
      }
      if (!this.#isSelected(object, select.labels)) {
        const problem = `does not match the label selector ${String(select.labels)} of ${type.kind}, so it would not be cached; add the labels.`;
        throw misuse(given, problem);
      }
      const isComplete = type.scope === "Cluster" || object.metadata.namespace !== undefined || home === undefined;
      const placed = isComplete ? object : { ...object, metadata: { ...object.metadata, namespace: home } };
      const id = idOf({ type, key: keyOfDesired(placed) });
      if (seen.has(id)) throw misuse(given, "is in the set twice; list every object once.");
      seen.add(id);
      return { ...given, object: placed };
    };
    return tiers.map((tier) => ({ tier, objects: tier.objects.map((given) => [given, place(given)] as const) }));
  }

  /** Reports whether the label selector of a kind matches an object, so that its informer caches it. */
  #isSelected({ metadata: { labels } }: DesiredBody, selected: SelectionOptions["labels"]): boolean {
    if (selected === undefined) return true;
    const selector = typeof selected === "string" ? parseLabelSelector(selected) : selected;
    return selector.matches({ ...labels, ...this.#scope.ownership.mark.labels });
  }

  #kindOf(type: ResourceType): ManagedInformer {
    const found = this.#kinds.find(({ kind }) => isSameKind(kind.type, type));
    if (found !== undefined) return found;
    const problem = `is ${formatGroupResource(type)}, which this controller does not manage; add managed(${type.kind}) to its \`owns\`.`;
    throw new ArgumentError({ argument: "type", problem });
  }

  /** Returns the cached or live state of a desired object; `isFresh` is true if this reconcile has read it from the API server. */
  async #known({
    type,
    object,
    observed,
  }: DesiredObject): Promise<{ known: Stored<KubeObject> | undefined; isFresh: boolean }> {
    if (observed !== undefined) return { known: observed === "absent" ? undefined : observed, isFresh: true };
    const key = keyOfDesired(object);
    const { informer } = this.#kindOf(type);
    if (informer !== undefined) return { known: informer.get(key), isFresh: false };
    return { known: await readLive(this.#scope, type, key), isFresh: true };
  }

  async #decide(desired: DesiredObject): Promise<ObjectStep> {
    const { ownership, object: owner, memory } = this.#scope;
    const { kind } = this.#kindOf(desired.type);
    const { known: live } = await this.#known(desired);
    return decideObject({
      desired,
      stamped: ownership.stamp(desired, owner),
      live,
      owner,
      ownership,
      rules: rulesOf(kind.type, kind.rules),
      isSettled: memory.isSettled.bind(memory),
      isDue: false,
    });
  }

  async #write(
    desired: DesiredObject,
    how: Pick<WriteObjectOptions, "isExpected" | "isDue" | "conflicts">,
  ): Promise<ObjectOutcome> {
    const { type, rules, shape } = this.#kindOf(desired.type).kind;
    const { propagation } = rules;
    try {
      const known = await this.#known(desired);
      const options = { ...known, rules: rulesOf(type, rules), propagation, project: shape?.project, ...how };
      const written = await writeObject(this.#scope, desired, options);
      if ("drift" in written && written.drift !== undefined) {
        this.#scope.report({ type: "drift", kind: type.kind, object: describe(written.live), drift: written.drift });
      }
      return written;
    } catch (error) {
      this.#scope.signal.throwIfAborted();
      return { result: "failed", error };
    }
  }

  /** Returns the owner's objects that no tier names, in the order in which they are pruned. */
  #undesired(placed: readonly PlacedTier[], { keep = [], remove = [] }: PruneOptions): readonly OwnedObject[] {
    const desired = placed.flatMap(({ objects }) => objects.map(([, each]) => each));
    const kept = new Set([
      ...desired.map(({ type, object }) => idOf({ type, key: keyOfDesired(object) })),
      ...keep.map(({ type, key }) => idOf({ type, key })),
    ]);
    const { uid } = this.#scope.object.metadata;
    const cached = this.#kinds.toReversed().flatMap(({ kind: { type, rules, pruneOrder }, informer }) => {
      if (informer === undefined || !rules.prune) return [];
      const found = informer.by(ownerIndex, uid).filter((object) => !kept.has(idOf({ type, key: nameOf(object) })));
      return found.toSorted(pruneOrder).map((object) => ({ type, object }));
    });
    return [...cached, ...remove].filter(
      ({ object }) => object.metadata.deletionTimestamp === undefined && this.owns(object),
    );
  }

  /** Remembers that there was nothing to do. Called without a pause after the owned objects were read from the cache. */
  #remember(
    inputs: SyncInputs,
    {
      placed,
      outcomes,
      time,
    }: Pick<SyncResult, "outcomes"> & { readonly placed: readonly PlacedTier[]; readonly time: ReapplyTime },
  ): void {
    if (!this.#isInventoryExact) return;
    const objects = placed.flatMap(({ objects: placedObjects }) =>
      placedObjects.map(([given, desired]) => ({ desired, outcome: outcomes.get(given) })),
    );
    const set = settledSet({ scope: this.#scope, kinds: this.#kinds }, { inputs, objects, time });
    if (set !== undefined) this.#scope.settledSets.remember(this.#scope.key, set);
  }

  async #delete(objects: readonly OwnedObject[]): Promise<readonly PrunedObject[]> {
    const pruned: PrunedObject[] = [];
    for (const owned of objects) {
      const { type, object } = owned;
      const ref = { type, key: nameOf(object) };
      const { propagation } = this.#kindOf(type).kind.rules;
      try {
        pruned.push({ ...ref, result: await deleteObject(this.#scope, owned, propagation) });
      } catch (error) {
        this.#scope.signal.throwIfAborted();
        pruned.push({ ...ref, result: "failed", error });
      }
    }
    return pruned;
  }

  async *#listKind(
    { type, select, rules }: ManagedKind,
    { namespace, named = [] }: OwnedQuery,
  ): AsyncGenerator<OwnedObject> {
    const { client, signal } = this.#scope;
    if (rules.cached || rules.retired) {
      const listed = type.scope === "Cluster" ? undefined : (namespace ?? select.namespace);
      const labelSelector = select.labels === undefined ? undefined : String(select.labels);
      for await (const object of client.items(type, { namespace: listed, labelSelector, signal })) {
        if (this.owns(object)) yield { type, object: asStored(object) };
      }
      return;
    }
    for (const ref of named) {
      const object = isSameKind(ref.type, type) ? await readLive(this.#scope, type, ref.key) : undefined;
      if (object !== undefined && this.owns(object)) yield { type, object };
    }
  }

  /** Kinds that the controller manages, in the format of the inventory. */
  get #declared(): readonly string[] {
    return declaredKinds(this.#kinds.map(({ kind }) => kind));
  }

  /** Adds all declared kinds to the inventory before any object is created. */
  async #widenInventory(): Promise<void> {
    const { ownership, object } = this.#scope;
    const { inventory } = ownership;
    if (inventory === undefined) return;
    const recorded = new Set(inventoryOf(object, inventory));
    if (this.#declared.every((kind) => recorded.has(kind))) return;
    await writeInventory(this.#scope, inventory, (kinds) => [...kinds, ...this.#declared]);
  }

  /** True if the inventory names exactly the kinds that the controller manages, so that there is nothing to write and nothing retired to delete. */
  get #isInventoryExact(): boolean {
    const { ownership, object } = this.#scope;
    const { inventory } = ownership;
    if (inventory === undefined) return true;
    const recorded = new Set(inventoryOf(object, inventory));
    return recorded.size === this.#declared.length && this.#declared.every((kind) => recorded.has(kind));
  }

  /** Deletes the objects of kinds that are not managed any more, and removes a kind from the inventory when none of its objects is left. */
  async #pruneRetired(): Promise<readonly PrunedObject[]> {
    const { ownership, object } = this.#scope;
    const { inventory } = ownership;
    if (inventory === undefined) return [];
    const declared = new Set(this.#declared);
    const former = inventoryOf(object, inventory).filter((kind) => !declared.has(kind));
    const pruned: PrunedObject[] = [];
    const emptied = new Set<string>();
    for (const name of former) {
      const found = this.#kinds.find(({ kind }) => groupKindOf(kind.type) === name);
      if (found === undefined) {
        this.#scope.report({ type: "undeclared-kind", kind: name });
        continue;
      }
      const owned: OwnedObject[] = [];
      for await (const each of this.#listKind(found.kind, {})) owned.push(each);
      const results = await this.#delete(owned);
      pruned.push(...results);
      if (results.every(({ result }) => result === "deleted" || result === "absent")) emptied.add(name);
    }
    if (emptied.size > 0)
      await writeInventory(this.#scope, inventory, (kinds) => kinds.filter((kind) => !emptied.has(kind)));
    return pruned;
  }
}

/** Returns the first required object that was not applied; undefined when all were. */
function failedRequirement(
  { requires }: DesiredObject,
  outcomes: ReadonlyMap<DesiredObject, ObjectOutcome>,
): string | undefined {
  const missing = requires.find((each) => !("live" in (outcomes.get(each) ?? {})));
  return missing === undefined ? undefined : nameIn(missing);
}

function isReady(tier: Tier, outcomes: ReadonlyMap<DesiredObject, ObjectOutcome>): boolean {
  const { isReady: isObjectReady } = tier;
  if (isObjectReady === undefined) return true;
  return tier.objects.every((each) => {
    const outcome = outcomes.get(each);
    return outcome !== undefined && "live" in outcome && isObjectReady(outcome.live);
  });
}

function misuse(desired: DesiredObject, problem: string): ArgumentError {
  return new ArgumentError({ argument: nameIn(desired), problem });
}
