import type { KubeObject, Stored, ResourceType } from "@homeostat/core";
import type { ObjectEvent } from "../cache/event.ts";
import type { Informer } from "../cache/informer.ts";
import { initialListPriority } from "../queue/queue-item.ts";
import type { Controller } from "./definition.ts";
import type { ControllerInformers, OwnedInformer, WatchedInformer } from "./informers.ts";
import { isManaged } from "./kinds.ts";
import { type Owner, ownerAmong, ownerOf, placedKey } from "./owner-key.ts";
import type { SeenEvent } from "./predicate.ts";

/** What an event leads to. */
export interface FollowTarget {
  /** Asks for a run of an object, because of something other than a change of the object itself. */
  wake(key: string, why: Wake): void;
  /** An object of the controller's own kind is new, changed or gone. */
  changed(event: ObjectEvent<KubeObject>, why: Wake): void;
  /** A function of the definition threw. */
  failed(what: string, error: unknown): void;
}

/** Why a run is asked for, and how urgent it is. */
export interface Wake {
  readonly reason: string;
  readonly priority: number;
}

/** Whose changes a reconciler knows of, because they are its own: those of the writer with this name. */
export function writerOf(controller: string, key: string): string {
  return `${controller} ${key}`;
}

/**
 * Follows all informers of a controller, beginning with everything there is. Disposing of what is returned ends it.
 *
 * What the reconciler of an object has written itself is no reason to run it again, and nobody else's changes are left
 * out. A predicate that throws passes the event.
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

/** Subscribes, and tells which additions are of the beginning. */
function subscribe(
  informer: Informer<KubeObject>,
  handle: (event: ObjectEvent<KubeObject>, isInitial: boolean) => void,
): Disposable {
  let isReplaying = true;
  const subscription = informer.subscribe((event) => {
    handle(event, event.type === "add" && (isReplaying || !informer.isSynced));
  });
  const noteEnd = async (): Promise<void> => {
    await subscription.replayed;
    isReplaying = false;
  };
  void noteEnd();
  return subscription;
}

function onPrimary(
  { name, definition }: Controller,
  event: ObjectEvent<KubeObject>,
  isInitial: boolean,
  target: FollowTarget,
): void {
  // That an object is gone is no reason for a run but for forgetting it, whoever deleted it and whatever a predicate says.
  const isGone = event.type === "delete";
  if (!isGone && event.isKnownTo(writerOf(name, event.key))) return;
  if (!isGone && !passes(definition, event, target, definition.for)) return;
  target.changed(event, wakeOf(definition.for, event, isInitial));
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
  let isWorth: boolean | undefined;
  for (const owner of owners) {
    if (owner === undefined || event.isKnownTo(writerOf(controller.name, owner.key))) continue;
    // Made for an object of that name that is gone: the garbage collector's business. Of one that is not here yet, its
    // own arrival leads to a run.
    if (informers.primary.get(owner.key)?.metadata.uid !== owner.uid) continue;
    isWorth ??= passes(owned.kind, event, target, owned.kind.type);
    if (isWorth) target.wake(owner.key, wakeOf(owned.kind.type, event, isInitial));
  }
}

/** Returns the owner of a managed object that has no controller reference, by its mark. */
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

/** Whom the object of an event belongs to, without parsing it where that can be. */
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
        keys.add(placedKey(type, key, object.metadata.namespace));
      }
    } catch (error) {
      target.failed(`map of ${name}`, error);
    }
  };
  map(event.object);
  if (event.type === "update" && event.old !== undefined) map(event.old);
  const wake = wakeOf(kind.type, event, isInitial);
  for (const key of keys) {
    if (!event.isKnownTo(writerOf(controller.name, key))) target.wake(key, wake);
  }
}

/** Whether a predicate passes an event. */
function passes(
  kind: { when?(event: SeenEvent<Stored<KubeObject>>): boolean },
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

function wakeOf({ kind }: ResourceType, { type, key }: ObjectEvent<KubeObject>, isInitial: boolean): Wake {
  if (isInitial) return { reason: "initial list", priority: initialListPriority };
  return { reason: `${type} ${kind} ${key}`, priority: 0 };
}
