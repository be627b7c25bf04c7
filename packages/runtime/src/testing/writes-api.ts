// An in-memory API server with everything that writes depend on: resource versions, UIDs, finalizers, the status subresource, and
// server-side apply with field ownership, where maps are merged and lists are atomic.

import type { Body, Request, Response, Transport } from "@homeostat/client";
import {
  applyJsonPatch,
  applyMergePatch,
  deepClone,
  isEqual,
  isRecord,
  type JsonRecord,
  type KubeObject,
  NetworkError,
  ownValue,
  PatchError,
  safeSet,
} from "@homeostat/core";

export type AnyObject = KubeObject & JsonRecord;

/** A fault of a request: it is not performed, or its response is lost. */
export type Fault = "cut before" | "cut after" | "failed before" | "failed after";

/** An error response. */
class ErrorResponse extends Error {
  readonly status: number;
  readonly reason: string;
  readonly details: JsonRecord;

  constructor(status: number, reason: string, message: string, details: JsonRecord = {}) {
    super(message);
    this.status = status;
    this.reason = reason;
    this.details = details;
  }
}

interface Stored {
  object: AnyObject;
  /** The paths that each manager has set, by `manager operation subresource`. */
  owners: Map<string, Set<string>>;
}

interface RequestTarget {
  readonly kinds: string;
  readonly namespace: string;
  readonly name: string;
  readonly part: string;
  readonly query: URLSearchParams;
}

/** A change of one object: a creation without `before`, a deletion without `after`. */
export interface StoredChange {
  /** `configmaps default/a` */
  readonly id: string;
  readonly before: AnyObject | undefined;
  readonly after: AnyObject | undefined;
}

/** The server. */
export class FakeApi implements Transport {
  readonly stored: Map<string, Stored> = new Map();
  /** All received requests: `PATCH boxes/status default/a`. */
  readonly requests: string[] = [];
  /** All changes: `create configmaps default/a`. */
  readonly changes: string[] = [];
  /** Called for every request with its number, from 0; returns its fault. */
  fault: (number: number) => Fault | undefined = () => undefined;
  /** Called instead of handling a request; it performs the request by calling `handle`. */
  around: (handle: () => Response) => Response = (handle) => handle();
  /** Called for every change, with the object before and after it. */
  onChange: (change: StoredChange) => void = () => undefined;
  #revision = 100;
  #uids = 0;

  /** Returns the stored object without managedFields. */
  read(plural: string, key: string): AnyObject | undefined {
    return this.stored.get(`${plural} ${key}`)?.object;
  }

  /** Returns all objects of a kind. */
  all(plural: string): AnyObject[] {
    return [...this.stored].filter(([key]) => key.startsWith(`${plural} `)).map(([, { object }]) => object);
  }

  async send(request: Request): Promise<Response> {
    await Promise.resolve();
    request.signal?.throwIfAborted();
    const fault = this.fault(this.requests.length);
    const target = parsePath(request.path);
    const { kinds, namespace, name, part } = target;
    this.requests.push(`${request.method} ${kinds}${part === "" ? "" : `/${part}`} ${namespace}/${name}`);
    if (fault === "cut before") throw new NetworkError({ socketCode: "ECONNRESET", requestSent: true });
    if (fault === "failed before") return respond(500, statusOf(500, "InternalError", "broken", {}));
    const done = this.around(() => this.#handle(request, target));
    if (fault === "cut after") throw new NetworkError({ socketCode: "ECONNRESET", requestSent: true });
    if (fault === "failed after") return respond(500, statusOf(500, "InternalError", "broken", {}));
    return done;
  }

  /** Writes as another client, at once: creates an object, changes it by a merge patch, or deletes it. A rejected write changes nothing. */
  act(method: "POST" | "PATCH" | "DELETE", id: string, body: object): void {
    const [kinds = "", key = ""] = id.split(" ");
    const [namespace, name] = key.split("/");
    const query = "fieldManager=another-client";
    const path = `/apis/example.com/v1/namespaces/${namespace}/${kinds}${method === "POST" ? "" : `/${name}`}?${query}`;
    this.#handle({ method, path, body: JSON.stringify(body) }, parsePath(path));
  }

  #handle(request: Pick<Request, "method" | "path" | "headers" | "body">, target: RequestTarget): Response {
    try {
      return respond(request.method === "POST" ? 201 : 200, this.#do(request, target));
    } catch (error) {
      if (!(error instanceof ErrorResponse)) throw error;
      return respond(error.status, statusOf(error.status, error.reason, error.message, error.details));
    }
  }

  #do(request: Pick<Request, "method" | "headers" | "body">, target: RequestTarget): unknown {
    const body: unknown = typeof request.body === "string" ? JSON.parse(request.body) : {};
    switch (request.method) {
      case "GET":
        return target.name === "" ? this.#list(target) : this.#shown(this.#find(target));
      case "POST":
        return this.#create(asObject(body), target);
      case "PUT":
        return this.#replace(target, asObject(body));
      case "PATCH":
        return this.#patch(request, target, body);
      case "DELETE":
        return this.#delete(target, isRecord(body) ? body : {});
    }
  }

  #list({ kinds, namespace, query }: RequestTarget): unknown {
    const labels = (query.get("labelSelector") ?? "")
      .split(",")
      .flatMap((text) => (text === "" ? [] : [text.split("=")]));
    const items = [...this.stored]
      .filter(([key]) => key.startsWith(`${kinds} ${namespace === "" ? "" : `${namespace}/`}`))
      .map(([, stored]) => this.#shown(stored))
      .filter(({ metadata }) => labels.every(([key = "", value]) => metadata.labels?.[key] === value));
    return { kind: "List", apiVersion: "v1", metadata: { resourceVersion: String(this.#revision) }, items };
  }

  #find(target: RequestTarget): Stored {
    const found = this.stored.get(storeKey(target));
    if (found !== undefined) return found;
    const { kinds, name } = target;
    throw new ErrorResponse(404, "NotFound", `${kinds} "${name}" not found`, { kind: kinds, name });
  }

  #create(object: AnyObject, { kinds, namespace, query }: RequestTarget): unknown {
    const name = object.metadata.name ?? "";
    const target: RequestTarget = { kinds, namespace, name, part: "", query };
    if (this.stored.has(storeKey(target))) {
      throw new ErrorResponse(409, "AlreadyExists", `${kinds} "${name}" already exists`, { kind: kinds, name });
    }
    const { status: _status, ...rest } = object;
    const stored = this.#insert(target, asObject(rest));
    const owned = leaves({ ...rest, metadata: withoutNames(object.metadata) });
    stored.owners.set(managerKey(target, "Update"), new Set(owned.map(([path]) => path)));
    return this.#shown(stored);
  }

  #insert(target: RequestTarget, object: AnyObject): Stored {
    checkControllers(object);
    this.#uids += 1;
    this.#revision += 1;
    const metadata = {
      ...object.metadata,
      ...(target.namespace === "" ? {} : { namespace: target.namespace }),
      uid: `uid-${this.#uids}`,
      resourceVersion: String(this.#revision),
      generation: 1,
    };
    const stored: Stored = { object: { ...object, metadata }, owners: new Map() };
    this.stored.set(storeKey(target), stored);
    this.changes.push(`create ${target.kinds} ${target.namespace}/${target.name}`);
    this.onChange({ id: storeKey(target), before: undefined, after: stored.object });
    return stored;
  }

  #replace(target: RequestTarget, desired: AnyObject): unknown {
    const stored = this.#find(target);
    const { managedFields: _managed, ...metadata } = desired.metadata;
    this.#commit(stored, target, { ...desired, metadata }, "Update");
    return this.#shown(stored);
  }

  #patch(request: Pick<Request, "headers">, target: RequestTarget, body: unknown): unknown {
    const type = request.headers?.["content-type"];
    if (type === "application/apply-patch+yaml") return this.#apply(target, asObject(body));
    const stored = this.#find(target);
    if (type === "application/json-patch+json") {
      try {
        const { managedFields, ...metadata } = asObject(applyJsonPatch(this.#shown(stored), body)).metadata;
        const patched = asObject(applyJsonPatch(this.#shown(stored), body));
        this.#commit(stored, target, { ...patched, metadata }, "Update");
        if (!isEqual(managedFields, this.#shown(stored).metadata.managedFields)) this.#setOwners(stored, managedFields);
      } catch (error) {
        // Like kube-apiserver, the response does not contain the object.
        if (error instanceof PatchError) throw new ErrorResponse(422, "Invalid", error.message);
        throw error;
      }
    } else {
      this.#commit(stored, target, asObject(applyMergePatch(stored.object, body)), "Update");
    }
    return this.#shown(stored);
  }

  /** Replaces the stored object if UID and resource version match. */
  #commit(stored: Stored, target: RequestTarget, desired: AnyObject, operation: "Update" | "Apply"): void {
    const { object: before } = stored;
    if (desired.metadata.uid !== before.metadata.uid)
      throw new ErrorResponse(422, "Invalid", "metadata.uid is immutable");
    if (desired.metadata.resourceVersion !== before.metadata.resourceVersion) {
      throw new ErrorResponse(409, "Conflict", "the object has been modified", {
        kind: target.kinds,
        name: target.name,
      });
    }
    const next: AnyObject =
      target.part === "status" ? withStatus(before, desired["status"]) : withStatus(desired, before["status"]);
    const finalizers = before.metadata.finalizers ?? [];
    const added = (next.metadata.finalizers ?? []).filter((finalizer) => !finalizers.includes(finalizer));
    if (before.metadata.deletionTimestamp !== undefined && added.length > 0) {
      throw new ErrorResponse(422, "Invalid", "no new finalizers can be added if the object is being deleted");
    }
    checkControllers(next);
    if (isEqual(next, before)) return;
    this.#own(stored, target, changedLeaves(before, next), operation);
    this.#revision += 1;
    const generation = (before.metadata.generation ?? 1) + (isEqual(before["spec"], next["spec"]) ? 0 : 1);
    stored.object = {
      ...next,
      metadata: { ...next.metadata, generation, resourceVersion: String(this.#revision) },
    };
    this.changes.push(`change ${target.kinds}${target.part === "" ? "" : `/${target.part}`} ${keyOfTarget(target)}`);
    this.onChange({ id: storeKey(target), before, after: stored.object });
    const isFree = (stored.object.metadata.finalizers ?? []).length === 0;
    if (stored.object.metadata.deletionTimestamp !== undefined && isFree) this.#remove(target);
  }

  /** Makes the manager that changed a field its only owner. */
  #own(stored: Stored, target: RequestTarget, paths: readonly string[], operation: "Update" | "Apply"): void {
    if (operation === "Apply") return;
    for (const owned of stored.owners.values()) for (const path of paths) owned.delete(path);
    const key = managerKey(target, operation);
    stored.owners.set(key, new Set([...(stored.owners.get(key) ?? []), ...paths]));
  }

  #apply(target: RequestTarget, config: AnyObject): unknown {
    const desired = leaves({ ...config, metadata: withoutNames(config.metadata) });
    const paths = new Set(desired.map(([path]) => path));
    const key = managerKey(target, "Apply");
    const stored = this.stored.get(storeKey(target));
    if (stored === undefined) {
      const { uid, ...metadata } = config.metadata;
      if (uid !== undefined) throw new ErrorResponse(409, "Conflict", "uid mismatch: no existing object was found");
      const made = this.#insert(target, { ...config, metadata });
      made.owners.set(key, paths);
      return this.#shown(made);
    }
    const conflicts = desired.filter(
      ([path, value]) =>
        !isEqual(valueAt(stored.object, path), value) &&
        [...stored.owners].some(([owner, owned]) => owner !== key && owned.has(path)),
    );
    if (conflicts.length > 0 && target.query.get("force") !== "true") {
      throw new ErrorResponse(409, "Conflict", "Apply failed with conflicts", {
        causes: conflicts.map(([path]) => conflictCause(stored, key, path)),
      });
    }
    const next = deepClone(stored.object);
    for (const path of stored.owners.get(key) ?? []) {
      const isOthers = [...stored.owners].some(([owner, owned]) => owner !== key && owned.has(path));
      if (!paths.has(path) && !isOthers) setAt(next, path, undefined);
    }
    for (const [path, value] of desired) setAt(next, path, value);
    if (config.metadata.uid !== undefined) next.metadata.uid = config.metadata.uid;
    this.#commit(stored, target, next, "Apply");
    for (const [path] of conflicts) for (const owned of stored.owners.values()) owned.delete(path);
    stored.owners.set(key, paths);
    return this.#shown(stored);
  }

  /** Applies managedFields of the request, which every client with write access may change. */
  #setOwners(stored: Stored, managedFields: AnyObject["metadata"]["managedFields"] = []): void {
    this.#revision += 1;
    stored.object = {
      ...stored.object,
      metadata: { ...stored.object.metadata, resourceVersion: String(this.#revision) },
    };
    stored.owners = new Map(
      managedFields.map(({ manager, operation, subresource = "", fieldsV1 }) => [
        JSON.stringify([manager, operation, subresource]),
        new Set(pathsOf(fieldsV1)),
      ]),
    );
  }

  #delete(target: RequestTarget, options: JsonRecord): unknown {
    const stored = this.#find(target);
    const { metadata } = stored.object;
    const conditions = isRecord(options["preconditions"]) ? options["preconditions"] : {};
    for (const field of ["uid", "resourceVersion"] as const) {
      const desired = ownValue(conditions, field);
      if (desired !== undefined && desired !== metadata[field]) {
        throw new ErrorResponse(
          409,
          "Conflict",
          `the ${field} in the precondition (${JSON.stringify(desired)}) is another`,
        );
      }
    }
    if ((metadata.finalizers ?? []).length === 0) {
      this.#remove(target);
      return { kind: "Status", apiVersion: "v1", status: "Success", details: { name: target.name, uid: metadata.uid } };
    }
    if (metadata.deletionTimestamp === undefined) {
      this.#revision += 1;
      stored.object = {
        ...stored.object,
        metadata: { ...metadata, deletionTimestamp: "2026-01-01T00:00:00Z", resourceVersion: String(this.#revision) },
      };
      this.changes.push(`mark ${target.kinds} ${keyOfTarget(target)}`);
      this.onChange({ id: storeKey(target), before: { ...stored.object, metadata }, after: stored.object });
    }
    return this.#shown(stored);
  }

  #remove(target: RequestTarget): void {
    const before = this.stored.get(storeKey(target))?.object;
    this.stored.delete(storeKey(target));
    this.onChange({ id: storeKey(target), before, after: undefined });
    this.changes.push(`delete ${target.kinds} ${keyOfTarget(target)}`);
  }

  #shown({ object, owners }: Stored): AnyObject {
    const managedFields = [...owners]
      .filter(([, paths]) => paths.size > 0)
      .map(([key, paths]) => {
        const { manager, operation, part }: Owner = ownerIn(key);
        const entry = { manager, operation, fieldsType: "FieldsV1", fieldsV1: fieldsOf(paths) };
        return part === "" ? entry : { ...entry, subresource: part };
      });
    return { ...object, metadata: { ...object.metadata, managedFields } };
  }
}

interface Owner {
  readonly manager: string;
  readonly operation: "Update" | "Apply";
  readonly part: string;
}

function managerKey({ query, part }: RequestTarget, operation: "Update" | "Apply"): string {
  return JSON.stringify([query.get("fieldManager") ?? "unknown", operation, part]);
}

function ownerIn(key: string): Owner {
  const parts: unknown = JSON.parse(key);
  const [manager, operation, part] = Array.isArray(parts) ? parts.map(String) : [];
  return { manager: manager ?? "", operation: operation === "Apply" ? "Apply" : "Update", part: part ?? "" };
}

function conflictCause({ owners }: Stored, own: string, path: string): JsonRecord {
  const [key = ""] = [...owners].find(([owner, owned]) => owner !== own && owned.has(path)) ?? [];
  const field = `.${segments(path).join(".")}`;
  return { reason: "FieldManagerConflict", field, message: `conflict with "${ownerIn(key).manager}" using v1` };
}

function parsePath(path: string): RequestTarget {
  const url = new URL(path, "https://fake.invalid");
  const parts = url.pathname.split("/").slice(1).map(decodeURIComponent);
  const rest = parts.slice(parts[0] === "api" ? 2 : 3);
  const namespace = rest[0] === "namespaces" && rest.length > 2 ? (rest[1] ?? "") : "";
  const [kinds = "", name = "", part = ""] = namespace === "" ? rest : rest.slice(2);
  return { kinds, namespace, name, part, query: url.searchParams };
}

function keyOfTarget({ namespace, name }: RequestTarget): string {
  return namespace === "" ? name : `${namespace}/${name}`;
}

function storeKey(target: RequestTarget): string {
  return `${target.kinds} ${keyOfTarget(target)}`;
}

function asObject(value: unknown): AnyObject {
  if (isRecord(value) && isRecord(value["metadata"])) {
    return { apiVersion: "", kind: "", metadata: {}, ...value };
  }
  throw new ErrorResponse(400, "BadRequest", "no object");
}

function withStatus(object: AnyObject, status: unknown): AnyObject {
  const { status: _status, ...rest } = object;
  return asObject(status === undefined ? rest : { ...rest, status });
}

function withoutNames({ name: _name, namespace: _namespace, uid: _uid, ...rest }: AnyObject["metadata"]): JsonRecord {
  return rest;
}

function checkControllers({ metadata }: AnyObject): void {
  if ((metadata.ownerReferences ?? []).filter(({ controller }) => controller === true).length > 1) {
    throw new ErrorResponse(422, "Invalid", "Only one reference can have Controller set to true");
  }
}

/** Returns the fields of a value that are not maps, with their paths. */
function leaves(value: unknown, path: readonly string[] = []): [path: string, value: unknown][] {
  if (!isRecord(value) || (Object.keys(value).length === 0 && path.length > 0)) return [[JSON.stringify(path), value]];
  return Object.entries(value)
    .filter(([key]) => path.length > 0 || (key !== "apiVersion" && key !== "kind"))
    .flatMap(([key, inner]) => leaves(inner, [...path, key]));
}

function changedLeaves(before: AnyObject, after: AnyObject): string[] {
  const was = new Map(leaves(before));
  return leaves(after)
    .filter(([path, value]) => !isEqual(was.get(path), value))
    .map(([path]) => path);
}

function segments(path: string): string[] {
  const parts: unknown = JSON.parse(path);
  return Array.isArray(parts) ? parts.map(String) : [];
}

function valueAt(object: unknown, path: string): unknown {
  return segments(path).reduce<unknown>((value, key) => (isRecord(value) ? ownValue(value, key) : undefined), object);
}

function setAt(object: JsonRecord, path: string, value: unknown): void {
  const keys = segments(path);
  const last = keys.pop() ?? "";
  let inner = object;
  for (const key of keys) {
    const next = ownValue(inner, key);
    const record: JsonRecord = isRecord(next) ? next : {};
    safeSet(inner, key, record);
    inner = record;
  }
  if (value === undefined) delete inner[last];
  else safeSet(inner, last, deepClone(value));
}

function fieldsOf(paths: ReadonlySet<string>): JsonRecord {
  const fields: JsonRecord = {};
  for (const path of paths) {
    setAt(fields, JSON.stringify(segments(path).map((key) => `f:${key}`)), {});
  }
  return fields;
}

/** Returns the paths of a fieldsV1 set, as `fieldsOf` builds it. */
function pathsOf(fields: unknown, path: readonly string[] = []): string[] {
  if (!isRecord(fields) || Object.keys(fields).length === 0) return [JSON.stringify(path)];
  return Object.entries(fields).flatMap(([key, inner]) => pathsOf(inner, [...path, key.slice(2)]));
}

function statusOf(code: number, reason: string, message: string, details: JsonRecord): JsonRecord {
  return { kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message, details };
}

function respond(status: number, body: unknown): Response {
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  return { status, headers: { "content-type": "application/json" }, body: wholeBody(bytes) };
}

function wholeBody(bytes: Uint8Array): Body {
  return {
    async *[Symbol.asyncIterator]() {
      await Promise.resolve();
      yield bytes;
    },
    cancel() {},
  };
}
