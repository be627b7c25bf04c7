import type { Clock, KubeObject, ResourceType, WritableResourceType } from "@homeostat/core";
import { systemClock } from "@homeostat/core";
import { discover } from "./discovery/discover.ts";
import type { Discovery } from "./discovery/api-resource.ts";
import { ResourceMapper } from "./discovery/resource-mapper.ts";
import { deferred } from "./async/deferred.ts";
import { loadConnection, type LoadOptions } from "./kubeconfig/load.ts";
import type { Body, Request, Response, Transport } from "./transport/transport.ts";
import * as access from "./api/access.ts";
import { call, type Caller, type CallOptions, type WriteDefaults } from "./api/call.ts";
import * as deletion from "./api/delete.ts";
import * as eviction from "./api/evict.ts";
import * as getting from "./api/get.ts";
import * as listing from "./api/list.ts";
import * as logs from "./api/logs.ts";
import type { ObjectToSend } from "./api/objects.ts";
import { openTransport, type OpenOptions } from "./api/open.ts";
import * as paging from "./api/pages.ts";
import * as patching from "./api/patch.ts";
import type { ObjectName } from "./api/paths.ts";
import type { Scale } from "./api/subresource.ts";
import { serverVersion, type ServerVersion } from "./api/version.ts";
import type { WatchEvent } from "./api/watch-event.ts";
import * as watching from "./api/watch.ts";
import * as writing from "./api/write.ts";
import type { WriteResponse } from "./api/write-response.ts";

/** Options of a {@link Client}. */
export interface ClientOptions {
  readonly clock?: Clock;
  /** Defaults of the options of writes. */
  readonly defaults?: WriteDefaults;
  /** Called by {@link Client.close}. */
  readonly close?: () => void;
}

/**
 * A client of a Kubernetes API server.
 *
 * Every method takes the kind first, as a `ResourceType`: with a typed one (`Job` of `@homeostat/kubernetes`, a kind of
 * `@homeostat/schema`) its objects are typed, with any other they are `KubeObject`s. `get` returns undefined for an object
 * that does not exist. Every other unsuccessful response is thrown as an `ApiError`, a broken connection as a `NetworkError`;
 * both name the request. Names that are empty or contain path separators throw an `ArgumentError` before anything is sent.
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
  /** Finds kinds by name: `client.mapper.byName("deploy")`. Runs discovery when needed and caches the result. */
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
   * Creates a client for the cluster that kubectl would use, or inside a pod for the cluster of the pod.
   *
   * Same as `createClient(await loadConnection(options), options)`.
   */
  static async fromKubeconfig(options: LoadOptions & OpenOptions & ClientOptions = {}): Promise<Client> {
    const { transport, close } = openTransport(await loadConnection(options), options);
    return new Client(transport, { ...options, close });
  }

  // Reading

  /**
   * Reads an object. Returns undefined if it does not exist. Throws a `NotFoundError` if the server does not serve the kind.
   *
   * Sends `GET /apis/GROUP/VERSION/namespaces/NAMESPACE/PLURAL/NAME`.
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
   * Lists the matching objects, or one page of them if `limit` is set. Throws a `PageExpiredError` if the continue token is too
   * old.
   *
   * Sends `GET` on the collection.
   */
  list<T extends KubeObject>(type: ResourceType<T>, options?: listing.ListOptions): Promise<listing.Page<T>> {
    return listing.list(this.#caller, type, options);
  }

  /** Returns the pages of a long list. Each is fetched with `list` when the iterator reaches it. */
  pages<T extends KubeObject>(
    type: ResourceType<T>,
    options?: paging.PagesOptions,
  ): AsyncIterableIterator<listing.Page<T>> {
    return paging.pages(this.#caller, type, options);
  }

  /** Returns the objects of a long list one by one. They are fetched page by page. */
  items<T extends KubeObject>(type: ResourceType<T>, options?: paging.PagesOptions): AsyncIterableIterator<T> {
    return paging.items(this.#caller, type, options);
  }

  /**
   * Watches objects until the server ends the watch, which it does regularly: watch again from the last resource version. Throws
   * an `ExpiredError` if the resource version is too old: list again. Leaving the loop closes the connection.
   *
   * Sends `GET` on the collection with `watch=true` when the first event is requested.
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
   * Creates an object and returns it as stored. Throws an `AlreadyExistsError` if there is an object with that name.
   *
   * Sends `POST` on the collection.
   */
  create<T extends KubeObject, In extends KubeObject = T>(
    type: WritableResourceType<T, In>,
    object: ObjectToSend<T, In>,
    options?: writing.WriteOptions,
  ): Promise<T> {
    return objectOf(writing.create(this.#caller, type, object, options));
  }

  /**
   * Replaces an object, or with `subresource` its status or scale. Throws a `ConflictError` if `metadata.resourceVersion` is set
   * and the stored object has another one.
   *
   * Refuses an object with an integer beyond 2^53, because reading may have rounded it: patch it instead. Sends `PUT` on the
   * object.
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
   * Patches an object with `{ merge: … }`, `{ json: […] }` or, for built-in kinds, `{ strategic: … }`.
   *
   * Sends `PATCH` on the object with the content type of the patch.
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
   * Applies an object server-side, and creates it if it does not exist. Fields that the same field manager applied before and that
   * are now left out are removed. Throws a `ConflictError` if another field manager owns a field with another value, unless
   * `force` is set.
   *
   * Sends `PATCH` with `application/apply-patch+yaml` and a `fieldManager`, which must be set here or as a default.
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

  /** Deletes an object, if it exists and the preconditions hold. Sends `DELETE` on the object. */
  delete<T extends KubeObject>(
    type: ResourceType<T>,
    name: ObjectName,
    options?: deletion.DeleteOptions,
  ): Promise<deletion.Deleted<T>> {
    return deletion.remove(this.#caller, type, name, options);
  }

  /**
   * Deletes the objects that a selector matches, or with `everything` all objects of a namespace or of a cluster-scoped kind.
   * Returns the objects in the response. Sends `DELETE` on the collection.
   */
  deleteCollection<T extends KubeObject>(
    type: ResourceType<T>,
    options: deletion.DeleteCollectionOptions,
  ): Promise<T[]> {
    return deletion.removeCollection(this.#caller, type, options);
  }

  // Pods

  /**
   * Evicts a pod. Returns false if it does not exist. Throws a `TooManyRequestsError` if a PodDisruptionBudget does not allow it
   * now.
   *
   * Sends `POST` of a `policy/v1` Eviction on the pod.
   */
  evict(pod: ObjectName, options?: Omit<deletion.DeleteOptions, "propagation">): Promise<boolean> {
    return eviction.evict(this.#caller, pod, options);
  }

  /** Returns the lines of a container's log as they arrive. Sends `GET` on `pods/NAME/log`. */
  logs(pod: ObjectName, options?: logs.LogLinesOptions): AsyncIterableIterator<string> {
    return deferred(() => logs.logLines(this.#caller, pod, options));
  }

  /** Returns the bytes of a container's log. Read the body or cancel it. Sends `GET` on `pods/NAME/log`. */
  logBytes(pod: ObjectName, options?: logs.LogOptions): Promise<Body> {
    return logs.logBytes(this.#caller, pod, options);
  }

  // The server

  /** Returns all kinds that the server serves. `mapper` caches this. Sends `GET /api` and `GET /apis`. */
  discover(options?: CallOptions): Promise<Discovery> {
    return discover(this.#caller, options);
  }

  /** Returns the version of the API server. Sends `GET /version`. */
  version(options?: CallOptions): Promise<ServerVersion> {
    return serverVersion(this.#caller, options);
  }

  /** Returns whether the user of this client is authorized for an access. Sends a SelfSubjectAccessReview. */
  reviewOwnAccess(
    requested: access.ResourceAccess | access.PathAccess,
    options?: CallOptions,
  ): Promise<access.AccessVerdict> {
    return access.reviewOwnAccess(this.#caller, requested, options);
  }

  /** Returns whether another user is authorized for an access. Sends a SubjectAccessReview. */
  reviewAccess(
    subject: access.AccessSubject,
    requested: access.ResourceAccess | access.PathAccess,
    options?: CallOptions,
  ): Promise<access.AccessVerdict> {
    return access.reviewAccess(this.#caller, subject, requested, options);
  }

  // Low-level calls

  /** Sends any request and returns a successful response. Read the body or cancel it. Throws the same errors as other calls. */
  raw(request: Request): Promise<Response> {
    return call(this.#caller, request);
  }

  /** Lists objects and returns the unparsed body; see `ListScanner`. */
  listBytes(type: ResourceType, options?: listing.ListOptions): Promise<listing.ListBytes> {
    return listing.listBytes(this.#caller, type, options);
  }

  /** Watches objects and returns the unparsed lines, each an event in JSON. Resolves when the server has accepted the watch. */
  watchLines(type: ResourceType, options?: watching.WatchOptions): Promise<watching.WatchLines> {
    return watching.watchLines(this.#caller, type, options);
  }

  /** Creates an object like `create`, but does not parse the response until the caller reads it. */
  createUnread<T extends KubeObject, In extends KubeObject = T>(
    type: WritableResourceType<T, In>,
    object: ObjectToSend<T, In>,
    options?: writing.WriteOptions,
  ): Promise<WriteResponse<T>> {
    return writing.create(this.#caller, type, object, options);
  }

  /** Replaces an object like `update`, but does not parse the response until the caller reads it. */
  updateUnread<T extends KubeObject, In extends KubeObject = T>(
    type: WritableResourceType<T, In>,
    object: ObjectToSend<T, In> | ObjectToSend<Scale>,
    options?: writing.UpdateOptions,
  ): Promise<WriteResponse<T | Scale>> {
    return writing.update(this.#caller, type, object, options);
  }

  /** Patches an object like `patch`, but does not parse the response until the caller reads it. */
  patchUnread<T extends KubeObject>(
    type: ResourceType<T>,
    name: ObjectName,
    change: patching.Patch<T> | patching.Patch<Scale>,
    options?: writing.UpdateOptions,
  ): Promise<WriteResponse<T | Scale>> {
    return patching.patch(this.#caller, type, name, change, options);
  }

  /** Applies an object like `apply`, but does not parse the response until the caller reads it. */
  applyUnread<T extends KubeObject>(
    type: ResourceType<T>,
    object: patching.ObjectToApply<T> | patching.ObjectToApply<Scale>,
    options?: patching.ApplyOptions,
  ): Promise<WriteResponse<T | Scale>> {
    return patching.apply(this.#caller, type, object, options);
  }

  /** Closes the connections that the client opened. Has no effect on a transport that was passed in. */
  close(): void {
    this.#close();
  }

  [Symbol.dispose](): void {
    this.#close();
  }
}

async function objectOf<T extends KubeObject>(response: Promise<WriteResponse<T>>): Promise<T> {
  return (await response).object;
}
