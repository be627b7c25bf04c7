import type { KubeObject, Stored, ResourceType } from "@homeostat/core";
import type { ObjectEvent } from "../cache/event.ts";
import type { Informer } from "../cache/informer.ts";
import { initialListPriority } from "../queue/queue-item.ts";
import type { Controller } from "./definition.ts";
import type { ControllerInformers, OwnedInformer, WatchedInformer } from "./informers.ts";
import { isManaged } from "../kinds/kinds.ts";
import { type Owner, ownerAmong, ownerOf, namespacedKey } from "./owner-key.ts";
import type { PredicateEvent } from "../kinds/predicate.ts";

/** Receiver of the events that {@link follow} has filtered and mapped to keys. */
export interface FollowTarget {
  /** Called when an owned object, a watched object or a source requires a reconcile of a primary object. */
  enqueue(key: string, why: Trigger): void;
  /** Called when a primary object was added, changed or deleted. */
  changed(event: ObjectEvent<KubeObject>, why: Trigger): void;
  /** Called when a callback of the definition threw; `callback` names it. */
  failed(callback: string, error: unknown): void;
}

/** Reason and priority of a reconcile. */
export interface Trigger {
  readonly reason: string;
  readonly priority: number;
}

/** Returns the name under which the cache records the writes of a reconciler for one key. Their watch events do not requeue that key. */
export function writerOf(controller: string, key: string): string {
  return `${controller} ${key}`;
}

/**
 * Subscribes to all informers of a controller. Existing objects are delivered as `add` events first. Disposing of the result unsubscribes.
 *
 * Watch events caused by a reconciler's own writes do not requeue its key: the reconciler knows what it wrote, and would otherwise reconcile
 * every object twice. The cache compares resource versions, so a change by another client right before or after the own write is never
 * taken for it. A predicate that throws lets the event through: an unnecessary reconcile is harmless, a missed one is not.
 */
export function follow(controller: Controller, informers: ControllerInformers, target: FollowTarget): Disposable {
  const subscriptions = [
    subscribe(informers.primary, (event, isInitial) => {
      onPrimary(controller, event, isInitial, target);
    }),
    ...informers.owned.map((owned) =>
      subscribe(owned.informer, (event, isInitial) => {
        onOwned({ controller, informers, owned, target }, event, isInitial);
      }),
    ),
    ...informers.watched
      .filter(({ kind }) => kind.map !== undefined)
      .map((watched) =>
        subscribe(watched.informer, (event, isInitial) => {
          onWatched({ controller, informers, watched, target }, event, isInitial);
        }),
      ),
  ];
  return {
    [Symbol.dispose]: () => {
      for (const subscription of subscriptions) subscription[Symbol.dispose]();
    },
  };
}

/**
 * Subscribes to an informer; `isInitial` is true for the `add` events of existing objects, which get a lower priority than changes.
 *
 * After a start or a change of leader every object is enqueued, although almost none has changed. Without the lower priority, a user who
 * edits an object at that time would wait until all others were reconciled.
 */
function subscribe(
  informer: Informer<KubeObject>,
  handle: (event: ObjectEvent<KubeObject>, isInitial: boolean) => void,
): Disposable {
  let isReplaying = true;
  const subscription = informer.subscribe((event) => {
    handle(event, event.type === "add" && (isReplaying || !informer.isSynced));
  });
  const awaitReplay = async (): Promise<void> => {
    await subscription.replayed;
    isReplaying = false;
  };
  void awaitReplay();
  return subscription;
}

function onPrimary(
  { name, definition }: Controller,
  event: ObjectEvent<KubeObject>,
  isInitial: boolean,
  target: FollowTarget,
): void {
  // A deletion bypasses the filters: it triggers no reconcile, but the target must always drop its state of the key.
  const isDeleted = event.type === "delete";
  if (!isDeleted && event.isKnownTo(writerOf(name, event.key))) return;
  if (!isDeleted && !passes(definition, event, target, definition.for)) return;
  target.changed(event, triggerOf(definition.for, event, isInitial));
}

interface OwnedParts {
  readonly controller: Controller;
  readonly informers: ControllerInformers;
  readonly owned: OwnedInformer;
  readonly target: FollowTarget;
}

function onOwned(
  { controller, informers, owned, target }: OwnedParts,
  event: ObjectEvent<KubeObject>,
  isInitial: boolean,
): void {
  const { for: type } = controller.definition;
  const owner = ownerIn(type, event) ?? markedOwner(informers, owned, event.object);
  const owners = [owner];
  const { old } = event;
  const before =
    event.type === "update" && old !== undefined
      ? (ownerOf(type, old) ?? markedOwner(informers, owned, old))
      : undefined;
  if (before !== undefined && before.uid !== owners[0]?.uid) owners.push(before);
  // An update that changes the owner concerns both the old and the new one. The predicate is called once for both.
  let isPassed: boolean | undefined;
  for (const owner of owners) {
    if (owner === undefined || event.isKnownTo(writerOf(controller.name, owner.key))) continue;
    // Same name, different UID: the owner was deleted, and the garbage collector deletes this object. If the owner is not in the cache yet,
    // its own `add` event triggers the reconcile.
    if (informers.primary.get(owner.key)?.metadata.uid !== owner.uid) continue;
    isPassed ??= passes(owned.kind, event, target, owned.kind.type);
    if (isPassed) target.enqueue(owner.key, triggerOf(owned.kind.type, event, isInitial));
  }
}

/** Returns the owner of a managed object without controller reference, according to its ownership mark. */
function markedOwner(
  informers: ControllerInformers,
  { kind }: OwnedInformer,
  object: Stored<KubeObject>,
): Owner | undefined {
  if (!isManaged(kind)) return undefined;
  const uid = informers.ownership.ownerUidOf(object);
  const key = uid === undefined ? undefined : informers.keyOfUid(uid);
  return uid === undefined || key === undefined ? undefined : { uid, key };
}

/** Returns the owner of an event's object. Uses the owner references that the cache has extracted, so that the object need not be parsed. */
function ownerIn(type: ResourceType, event: ObjectEvent<KubeObject>): Owner | undefined {
  const { owners, key } = event;
  if (owners === undefined) return ownerOf(type, event.object);
  const slash = key.indexOf("/");
  return ownerAmong(type, owners, slash < 0 ? undefined : key.slice(0, slash));
}

interface WatchedParts {
  readonly controller: Controller;
  readonly informers: ControllerInformers;
  readonly watched: WatchedInformer;
  readonly target: FollowTarget;
}

function onWatched(
  { controller, informers, watched: { name, kind }, target }: WatchedParts,
  event: ObjectEvent<KubeObject>,
  isInitial: boolean,
): void {
  if (!passes(kind, event, target, kind.type)) return;
  const { for: type } = controller.definition;
  const keys = new Set<string>();
  const map = (object: Stored<KubeObject>): void => {
    try {
      for (const key of kind.map?.(object, informers.reader) ?? []) {
        keys.add(namespacedKey(type, key, object.metadata.namespace));
      }
    } catch (error) {
      target.failed(`map of ${name}`, error);
    }
  };
  map(event.object);
  // The old state, too: when a Secret is no longer referred to by label, or a route moves to another gateway, the former one has to be
  // reconciled as well, and only the old object leads to it.
  if (event.type === "update" && event.old !== undefined) map(event.old);
  const trigger = triggerOf(kind.type, event, isInitial);
  for (const key of keys) {
    if (!event.isKnownTo(writerOf(controller.name, key))) target.enqueue(key, trigger);
  }
}

/** Reports whether an event passes the predicate of a kind; true when there is none, or when it throws. */
function passes(
  kind: { when?(event: PredicateEvent<Stored<KubeObject>>): boolean },
  event: ObjectEvent<KubeObject>,
  target: FollowTarget,
  type: ResourceType,
): boolean {
  if (kind.when === undefined) return true;
  try {
    return kind.when(event);
  } catch (error) {
    target.failed(`when of ${type.kind}`, error);
    return true;
  }
}

function triggerOf({ kind }: ResourceType, { type, key }: ObjectEvent<KubeObject>, isInitial: boolean): Trigger {
  if (isInitial) return { reason: "initial list", priority: initialListPriority };
  return { reason: `${type} ${kind} ${key}`, priority: 0 };
}
