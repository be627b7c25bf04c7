import type { Clock, KubeObject, ResourceType, WritableResourceType } from "@homeostat/core";
import { systemClock } from "@homeostat/core";
import { discover } from "../discovery/discover.ts";
import type { Discovery } from "../discovery/api-resource.ts";
import { ResourceMapper } from "../discovery/resource-mapper.ts";
import { deferred } from "../internal/deferred.ts";
import { loadConnection, type LoadOptions } from "../kubeconfig/load.ts";
import type { Body, Request, Response, Transport } from "../transport/transport.ts";
import * as access from "./access.ts";
import { call, type Caller, type CallOptions, type WriteDefaults } from "./call.ts";
import * as deletion from "./delete.ts";
import * as eviction from "./evict.ts";
import * as getting from "./get.ts";
import * as listing from "./list.ts";
import * as logs from "./logs.ts";
import type { ObjectToSend } from "./objects.ts";
import { openTransport, type OpenOptions } from "./open.ts";
import * as paging from "./pages.ts";
import * as patching from "./patch.ts";
import type { ObjectName } from "./paths.ts";
import type { Scale } from "./subresource.ts";
import { serverVersion, type ServerVersion } from "./version.ts";
import type { WatchEvent } from "./watch-event.ts";
import * as watching from "./watch.ts";
import * as writing from "./write.ts";
import type { WriteAnswer } from "./write-answer.ts";

/** What a client is made with, beside its transport. */
export interface ClientOptions {
  readonly clock?: Clock;
  /** What writes say unless a call says otherwise. */
  readonly defaults?: WriteDefaults;
  /** Closes what the client has opened; see {@link Client.close}. */
  readonly close?: () => void;
}

/**
 * Speaks to an API server about objects.
 *
 * Every method takes the kind first, as `ResourceType`: with a typed one (`Job` of `@homeostat/kubernetes`, a kind of
 * `@homeostat/schema`) its objects are typed, with any other they are `KubeObject`s. Absence is an answer: `get` resolves
 * with undefined. Every other answer that is no success is thrown as an `ApiError`, a broken connection as a
 * `NetworkError`; both name the request. Names that are empty or would lead to another path are an `ArgumentError` before
 * anything is sent.
 *
 * Integers beyond 2^53 are rounded as everywhere in JavaScript; see {@link Client.update}.
 *
 * @example
 * using client = await Client.fromKubeconfig();
 * const job = await client.get(Job, { namespace: "shop", name: "import" });
 */
export class Client {
  /** The transport that all requests go through, with its layers. */
  readonly transport: Transport;
  /** Finds kinds by name: `client.mapper.byName("deploy")`. Asks the server when it must. */
  readonly mapper: ResourceMapper;
  readonly #caller: Caller;
  readonly #close: () => void;

  constructor(transport: Transport, { clock = systemClock, defaults = {}, close }: ClientOptions = {}) {
    this.transport = transport;
    this.#caller = { transport, clock, defaults };
    this.#close = close ?? (() => undefined);
    this.mapper = new ResourceMapper({ clock, discover: (signal) => this.discover({ signal }) });
  }

  /**
   * A client for the cluster that kubectl would use, or inside a pod for its own.
   *
   * Stands for `createClient(await loadConnection(options), options)`.
   */
  static async fromKubeconfig(options: LoadOptions & OpenOptions & ClientOptions = {}): Promise<Client> {
    const { transport, close } = openTransport(await loadConnection(options), options);
    return new Client(transport, { ...options, close });
  }

  // Reading

  /**
   * Reads one object; undefined when there is none. A kind that the server does not know is a `NotFoundError`.
   *
   * Stands for `GET /apis/GROUP/VERSION/namespaces/NAMESPACE/PLURAL/NAME`.
   */
  get(
    type: ResourceType,
    name: ObjectName,
    options: getting.GetOptions & { readonly subresource: "scale" },
  ): Promise<Scale | undefined>;
  get<T extends KubeObject>(
    type: ResourceType<T>,
    name: ObjectName,
    options?: getting.GetOptions,
  ): Promise<T | undefined>;
  get<T extends KubeObject>(
    type: ResourceType<T>,
    name: ObjectName,
    options?: getting.GetOptions,
  ): Promise<T | Scale | undefined> {
    return getting.get(this.#caller, type, name, options);
  }

  /**
   * Lists objects: all that match, or one page when there is a `limit`. A page token that is too old is a
   * `PageExpiredError`.
   *
   * Stands for `GET` on the collection.
   */
  list<T extends KubeObject>(type: ResourceType<T>, options?: listing.ListOptions): Promise<listing.Page<T>> {
    return listing.list(this.#caller, type, options);
  }

  /** The pages of a long list, each fetched when it is asked for. Stands for `list` with `limit` and `continue`. */
  pages<T extends KubeObject>(
    type: ResourceType<T>,
    options?: paging.PagesOptions,
  ): AsyncIterableIterator<listing.Page<T>> {
    return paging.pages(this.#caller, type, options);
  }

  /** The objects of a long list, one by one, fetched page by page. Stands for `pages` and their items. */
  items<T extends KubeObject>(type: ResourceType<T>, options?: paging.PagesOptions): AsyncIterableIterator<T> {
    return paging.items(this.#caller, type, options);
  }

  /**
   * The changes to objects, until the server ends the watch, which it does now and then: watch again from the last
   * version. A version that is too old is an `ExpiredError`: list again. Leaving the loop closes the connection.
   *
   * Stands for `GET` on the collection with `watch=true`; connects when the first event is asked for.
   *
   * @example
   * for await (const event of client.watch(Pod, { resourceVersion, signal })) console.log(event.type);
   */
  watch<T extends KubeObject>(
    type: ResourceType<T>,
    options?: watching.WatchOptions,
  ): AsyncIterableIterator<WatchEvent<T>> {
    return deferred(() => watching.watchEvents(this.#caller, type, options));
  }

  // Writing

  /**
   * Creates an object and resolves with what was stored. An object of that name is an `AlreadyExistsError`.
   *
   * Stands for `POST` on the collection.
   */
  create<T extends KubeObject, In extends KubeObject = T>(
    type: WritableResourceType<T, In>,
    object: ObjectToSend<T, In>,
    options?: writing.WriteOptions,
  ): Promise<T> {
    return objectOf(writing.create(this.#caller, type, object, options));
  }

  /**
   * Replaces an object, or with `subresource` its status or scale. When the object has a `resourceVersion` and somebody
   * has changed it since, that is a `ConflictError`.
   *
   * An object with an integer beyond 2^53 is refused, because reading may have rounded it: patch it instead. Stands for
   * `PUT` on the object.
   */
  update(
    type: ResourceType,
    scale: ObjectToSend<Scale>,
    options: writing.UpdateOptions & { readonly subresource: "scale" },
  ): Promise<Scale>;
  update<T extends KubeObject, In extends KubeObject = T>(
    type: WritableResourceType<T, In>,
    object: ObjectToSend<T, In>,
    options?: writing.UpdateOptions,
  ): Promise<T>;
  update<T extends KubeObject, In extends KubeObject = T>(
    type: WritableResourceType<T, In>,
    object: ObjectToSend<T, In> | ObjectToSend<Scale>,
    options?: writing.UpdateOptions,
  ): Promise<T | Scale> {
    return objectOf(writing.update(this.#caller, type, object, options));
  }

  /**
   * Changes parts of an object: `{ merge: … }`, `{ json: […] }` or, for built-in kinds, `{ strategic: … }`.
   *
   * Stands for `PATCH` on the object with the content type of the language.
   */
  patch(
    type: ResourceType,
    name: ObjectName,
    change: patching.Patch<Scale>,
    options: writing.UpdateOptions & { readonly subresource: "scale" },
  ): Promise<Scale>;
  patch<T extends KubeObject>(
    type: ResourceType<T>,
    name: ObjectName,
    change: NoInfer<patching.Patch<T>>,
    options?: writing.UpdateOptions,
  ): Promise<T>;
  patch<T extends KubeObject>(
    type: ResourceType<T>,
    name: ObjectName,
    change: patching.Patch<T> | patching.Patch<Scale>,
    options?: writing.UpdateOptions,
  ): Promise<T | Scale> {
    return objectOf(patching.patch(this.#caller, type, name, change, options));
  }

  /**
   * Says which fields an object should have; creates it when it is not there. Fields that were applied before under the
   * same manager and are left out now are taken away. Somebody else's field with another value is a `ConflictError`,
   * unless `force`.
   *
   * Stands for `PATCH` with `application/apply-patch+yaml` and a `fieldManager`, which must be set here or as a default.
   */
  apply(
    type: ResourceType,
    scale: patching.ObjectToApply<Scale>,
    options: patching.ApplyOptions & { readonly subresource: "scale" },
  ): Promise<Scale>;
  apply<T extends KubeObject>(
    type: ResourceType<T>,
    object: NoInfer<patching.ObjectToApply<T>>,
    options?: patching.ApplyOptions,
  ): Promise<T>;
  apply<T extends KubeObject>(
    type: ResourceType<T>,
    object: patching.ObjectToApply<T> | patching.ObjectToApply<Scale>,
    options?: patching.ApplyOptions,
  ): Promise<T | Scale> {
    return objectOf(patching.apply(this.#caller, type, object, options));
  }

  /** Deletes one object, if it is there and the preconditions hold. Stands for `DELETE` on the object. */
  delete<T extends KubeObject>(
    type: ResourceType<T>,
    name: ObjectName,
    options?: deletion.DeleteOptions,
  ): Promise<deletion.Deleted<T>> {
    return deletion.remove(this.#caller, type, name, options);
  }

  /**
   * Deletes the objects that a selector chooses, or with `everything` all of a namespace (or of a kind without
   * namespaces); resolves with those that the server names. Stands for `DELETE` on the collection.
   */
  deleteCollection<T extends KubeObject>(
    type: ResourceType<T>,
    options: deletion.DeleteCollectionOptions,
  ): Promise<T[]> {
    return deletion.removeCollection(this.#caller, type, options);
  }

  // Pods

  /**
   * Deletes a pod if its disruption budget allows it now, else a `TooManyRequestsError`; false when there is no such pod.
   *
   * Stands for `POST` of a `policy/v1` Eviction on the pod.
   */
  evict(pod: ObjectName, options?: Omit<deletion.DeleteOptions, "propagation">): Promise<boolean> {
    return eviction.evict(this.#caller, pod, options);
  }

  /** The lines of a container's log, as they come. Stands for `GET` on `pods/NAME/log`, cut at line feeds. */
  logs(pod: ObjectName, options?: logs.LogLinesOptions): AsyncIterableIterator<string> {
    return deferred(() => logs.logLines(this.#caller, pod, options));
  }

  /** The bytes of a container's log. Stands for `GET` on `pods/NAME/log`. Read them or cancel them. */
  logBytes(pod: ObjectName, options?: logs.LogOptions): Promise<Body> {
    return logs.logBytes(this.#caller, pod, options);
  }

  // The server

  /** Everything that the server has; `mapper` remembers it. Stands for `GET /api` and `GET /apis`. */
  discover(options?: CallOptions): Promise<Discovery> {
    return discover(this.#caller, options);
  }

  /** Which Kubernetes the server is. Stands for `GET /version`. */
  version(options?: CallOptions): Promise<ServerVersion> {
    return serverVersion(this.#caller, options);
  }

  /** Asks whether this client may do something. Stands for `POST` of a SelfSubjectAccessReview. */
  reviewOwnAccess(
    wanted: access.ResourceAccess | access.PathAccess,
    options?: CallOptions,
  ): Promise<access.AccessVerdict> {
    return access.reviewOwnAccess(this.#caller, wanted, options);
  }

  /** Asks whether somebody else may do something. Stands for `POST` of a SubjectAccessReview. */
  reviewAccess(
    subject: access.AccessSubject,
    wanted: access.ResourceAccess | access.PathAccess,
    options?: CallOptions,
  ): Promise<access.AccessVerdict> {
    return access.reviewAccess(this.#caller, subject, wanted, options);
  }

  // Without a safety net

  /** Sends any request and resolves with a success; an error is thrown as for every call. Read the body or cancel it. */
  raw(request: Request): Promise<Response> {
    return call(this.#caller, request);
  }

  /** A list as bytes, for readers who take it apart themselves; see `ListScanner`. Stands for `list`, unparsed. */
  listBytes(type: ResourceType, options?: listing.ListOptions): Promise<listing.ListBytes> {
    return listing.listBytes(this.#caller, type, options);
  }

  /** A watch as lines, each an event in JSON, not looked at. Stands for `watch`, unparsed; resolves when it is connected. */
  watchLines(type: ResourceType, options?: watching.WatchOptions): Promise<watching.WatchLines> {
    return watching.watchLines(this.#caller, type, options);
  }

  /** The same as `create`, with the answer unread: for callers who rarely look at it. */
  createUnread<T extends KubeObject, In extends KubeObject = T>(
    type: WritableResourceType<T, In>,
    object: ObjectToSend<T, In>,
    options?: writing.WriteOptions,
  ): Promise<WriteAnswer<T>> {
    return writing.create(this.#caller, type, object, options);
  }

  /** The same as `update`, with the answer unread. */
  updateUnread<T extends KubeObject, In extends KubeObject = T>(
    type: WritableResourceType<T, In>,
    object: ObjectToSend<T, In> | ObjectToSend<Scale>,
    options?: writing.UpdateOptions,
  ): Promise<WriteAnswer<T | Scale>> {
    return writing.update(this.#caller, type, object, options);
  }

  /** The same as `patch`, with the answer unread. */
  patchUnread<T extends KubeObject>(
    type: ResourceType<T>,
    name: ObjectName,
    change: patching.Patch<T> | patching.Patch<Scale>,
    options?: writing.UpdateOptions,
  ): Promise<WriteAnswer<T | Scale>> {
    return patching.patch(this.#caller, type, name, change, options);
  }

  /** The same as `apply`, with the answer unread. */
  applyUnread<T extends KubeObject>(
    type: ResourceType<T>,
    object: patching.ObjectToApply<T> | patching.ObjectToApply<Scale>,
    options?: patching.ApplyOptions,
  ): Promise<WriteAnswer<T | Scale>> {
    return patching.apply(this.#caller, type, object, options);
  }

  /** Closes the connections that the client has opened; nothing when it was given a transport. */
  close(): void {
    this.#close();
  }

  [Symbol.dispose](): void {
    this.#close();
  }
}

async function objectOf<T extends KubeObject>(answer: Promise<WriteAnswer<T>>): Promise<T> {
  return (await answer).object;
}
