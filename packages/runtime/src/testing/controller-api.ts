// An in-memory API server behind the transport of a client, with several kinds, lists, watches, finalizers, status and server-side apply.

import type { Body, Request, Response, Transport } from "@homeostat/client";
import {
  applyJsonPatch,
  applyMergePatch,
  isRecord,
  type JsonRecord,
  type KubeObject,
  type ManagedFieldsEntry,
  PatchError,
  type ResourceType,
  safeSet,
} from "@homeostat/core";

/** An object of any kind. */
export type AnyObject = KubeObject & Record<string, unknown>;

interface RequestTarget {
  readonly type: ResourceType;
  readonly namespace: string;
  readonly name: string;
  readonly part: string;
  readonly query: URLSearchParams;
}

/** An entry of managedFields without its fields. */
type Manager = ManagedFieldsEntry;

const otherClient: Manager = { manager: "other-client", operation: "Update" };

interface Watcher {
  readonly target: RequestTarget;
  readonly pipe: Pipe;
}

/** A connection failure, thrown instead of a response, before or after the request took effect. */
export type Fault = "before" | "after" | undefined;

/** The API server. Changes that a test makes with `put`, `edit` and `remove` count as those of another client. */
export class FakeApi implements Transport {
  readonly objects: Map<string, AnyObject> = new Map();
  /** All received writes: `PATCH sites/status default/a`. */
  readonly writes: string[] = [];
  /** Correlation IDs of the writes. */
  readonly ids: (string | undefined)[] = [];
  readonly #types: readonly ResourceType[];
  readonly #watchers = new Set<Watcher>();
  #revision = 100;
  #uids = 0;
  /** Called for every write; returns the error to respond with. */
  onWrite: (write: string, request: Request) => Error | undefined = () => undefined;
  /** Called for every write; returns whether and when the connection breaks. */
  fault: (write: string) => Fault = () => undefined;
  /** Kinds whose watch events are held back. */
  #silent: readonly ResourceType[] = [];
  #held: (() => void)[] = [];

  constructor(types: readonly ResourceType[]) {
    this.#types = types;
  }

  async send(request: Request): Promise<Response> {
    request.signal?.throwIfAborted();
    await Promise.resolve();
    request.beforeSending?.();
    const target = this.#targetOf(request.path);
    if (request.method === "GET") return this.#read(target, request);
    const write = describe(request.method, target);
    this.writes.push(write);
    const id = request.headers?.["audit-id"];
    this.ids.push(typeof id === "string" ? id : undefined);
    const error = this.onWrite(write, request);
    if (error !== undefined) throw error;
    const fault = this.fault(write);
    if (fault === "before") throw broken();
    const response = this.#write(target, request);
    if (fault === "after") throw broken();
    return response;
  }

  /** Holds back the watch events of all kinds, or of one, until `release`. */
  hold(type?: ResourceType): void {
    this.#silent = type === undefined ? this.#types : [type];
  }

  release(): void {
    this.#silent = [];
    for (const deliver of this.#held.splice(0)) deliver();
  }

  get(type: ResourceType, key: string): AnyObject | undefined {
    return this.objects.get(`${type.plural} ${key}`);
  }

  list(type: ResourceType): AnyObject[] {
    return [...this.objects].filter(([id]) => id.startsWith(`${type.plural} `)).map(([, object]) => object);
  }

  /** Creates an object as another client. */
  put(type: ResourceType, key: string, fields: JsonRecord & { metadata?: JsonRecord } = {}): AnyObject {
    const [namespace, name] = key.includes("/") ? key.split("/") : [undefined, key];
    const metadata = { ...fields.metadata, name, ...(namespace === undefined ? {} : { namespace }) };
    return this.#store(type, key, { ...fields, ...kindOf(type), metadata: { ...metadata } }, otherClient);
  }

  /** Changes an object by a merge patch as another client. */
  edit(type: ResourceType, key: string, patch: JsonRecord): AnyObject | undefined {
    const before = this.get(type, key);
    if (before === undefined) throw new Error(`no ${key}`);
    const after = applyMergePatch(before, patch);
    return isObject(after) ? this.#store(type, key, after, otherClient) : undefined;
  }

  /** Deletes an object as another client. */
  remove(type: ResourceType, key: string): void {
    this.#delete(type, key);
  }

  #read(target: RequestTarget, request: Request): Response {
    if (target.query.get("watch") !== null) {
      const pipe = new Pipe();
      this.#watchers.add({ target, pipe });
      request.signal?.addEventListener("abort", () => pipe.fail(request.signal?.reason), { once: true });
      return { status: 200, headers: {}, body: pipe };
    }
    if (target.name !== "") {
      const found = this.objects.get(idOf(target));
      return found === undefined ? failure(404, "NotFound", `${idOf(target)} not found`) : json(200, found);
    }
    const items = this.list(target.type).filter((object) => isIn(object, target));
    const kind = `${target.type.kind}List`;
    return json(200, { ...kindOf(target.type), kind, metadata: { resourceVersion: String(this.#revision) }, items });
  }

  #write(target: RequestTarget, request: Request): Response {
    const body: unknown = request.body === undefined ? {} : JSON.parse(String(request.body));
    const { type, part } = target;
    const by: Manager = {
      manager: target.query.get("fieldManager") ?? "client",
      operation: "Update",
      ...(part === "" ? {} : { subresource: part }),
    };
    if (request.method === "POST") {
      if (!isObject(body)) return failure(400, "BadRequest", "no object");
      const key = keyIn(target.namespace, String(body.metadata.name));
      if (this.get(type, key) !== undefined) return failure(409, "AlreadyExists", `${key} already exists`);
      return json(201, this.#store(type, key, { ...body, ...kindOf(type) }, by));
    }
    const key = keyIn(target.namespace, target.name);
    const before = this.get(type, key);
    const contentType = String(request.headers?.["content-type"] ?? request.headers?.["Content-Type"] ?? "");
    const isApply = contentType.includes("apply");
    if (request.method === "DELETE") return this.#respondToDelete(type, key, body);
    if (before === undefined && !isApply) return failure(404, "NotFound", `${key} not found`);
    if (contentType.includes("json-patch+json")) return this.#patchJson(type, key, body, by);
    if (!isRecord(body)) return failure(400, "BadRequest", "no such patch");
    const metadata = isRecord(body["metadata"]) ? body["metadata"] : {};
    const { resourceVersion, uid } = metadata;
    if (before !== undefined && resourceVersion !== undefined && resourceVersion !== before.metadata.resourceVersion) {
      return failure(409, "Conflict", `${key}: the object has been modified; please apply your changes`);
    }
    if (uid !== undefined && uid !== before?.metadata.uid) {
      return failure(409, "Conflict", "Precondition failed: UID in precondition");
    }
    const change: JsonRecord = part === "status" ? { status: body["status"] } : { ...body };
    if (part !== "status") delete change["status"];
    const merged = applyMergePatch(before ?? { ...kindOf(type), metadata: { namespace: target.namespace } }, change);
    if (!isObject(merged)) return failure(400, "BadRequest", "no object");
    return json(
      before === undefined ? 201 : 200,
      this.#store(type, key, merged, { ...by, operation: isApply ? "Apply" : "Update" }),
    );
  }

  #patchJson(type: ResourceType, key: string, operations: unknown, by: Manager): Response {
    try {
      const patched = applyJsonPatch(this.get(type, key), operations);
      return isObject(patched)
        ? json(200, this.#store(type, key, patched, by))
        : failure(400, "BadRequest", "no object");
    } catch (error) {
      if (error instanceof PatchError) return failure(422, "Invalid", error.message);
      throw error;
    }
  }

  #respondToDelete(type: ResourceType, key: string, options: unknown): Response {
    const before = this.get(type, key);
    if (before === undefined) return failure(404, "NotFound", `${key} not found`);
    const preconditions = isRecord(options) && isRecord(options["preconditions"]) ? options["preconditions"] : {};
    const { uid } = preconditions;
    if (uid !== undefined && uid !== before.metadata.uid) {
      return failure(409, "Conflict", `the UID in the precondition (${JSON.stringify(uid)}) does not match`);
    }
    const left = this.#delete(type, key);
    if (left !== undefined) return json(200, left);
    return json(200, { kind: "Status", apiVersion: "v1", status: "Success", details: { uid: before.metadata.uid } });
  }

  #delete(type: ResourceType, key: string): AnyObject | undefined {
    const before = this.get(type, key);
    if (before === undefined) return undefined;
    if ((before.metadata.finalizers ?? []).length > 0) {
      const metadata = { ...before.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" };
      return this.#store(type, key, { ...before, metadata }, undefined);
    }
    this.#drop(type, key, before);
    return undefined;
  }

  #drop(type: ResourceType, key: string, before: AnyObject): void {
    this.#revision += 1;
    this.objects.delete(`${type.plural} ${key}`);
    const metadata = { ...before.metadata, resourceVersion: String(this.#revision) };
    this.#deliver(type, "DELETED", { ...before, metadata });
  }

  /** Stores an object if it changed. Deletes it if it is being deleted and has no finalizers left. */
  #store(type: ResourceType, key: string, object: AnyObject, by: Manager | undefined): AnyObject {
    const before = this.get(type, key);
    const { metadata } = object;
    const isNew = before === undefined;
    const generation = before?.metadata.generation ?? 1;
    const isChanged =
      !isNew && (specOf(before) !== specOf(object) || before.metadata.deletionTimestamp !== metadata.deletionTimestamp);
    if (isNew) this.#uids += 1;
    const stored: AnyObject = structuredClone({
      ...object,
      metadata: {
        ...metadata,
        uid: before?.metadata.uid ?? `uid-${this.#uids}`,
        generation: isChanged ? generation + 1 : generation,
        resourceVersion: before?.metadata.resourceVersion ?? "",
      },
    });
    if (before !== undefined && JSON.stringify(sorted(before)) === JSON.stringify(sorted(stored))) return before;
    if (metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length === 0) {
      this.#drop(type, key, stored);
      return stored;
    }
    this.#revision += 1;
    stored.metadata.resourceVersion = String(this.#revision);
    stored.metadata.managedFields = withManager(before?.metadata.managedFields, by);
    this.objects.set(`${type.plural} ${key}`, stored);
    this.#deliver(type, isNew ? "ADDED" : "MODIFIED", stored);
    return stored;
  }

  #deliver(type: ResourceType, event: string, object: AnyObject): void {
    const line = `${JSON.stringify({ type: event, object })}\n`;
    const deliver = (): void => {
      for (const { target, pipe } of this.#watchers) {
        if (target.type.plural === type.plural && isIn(object, target)) pipe.push(line);
      }
    };
    if (this.#silent.includes(type)) this.#held.push(deliver);
    else deliver();
  }

  #targetOf(path: string): RequestTarget {
    const url = new URL(path, "http://fake");
    const parts = url.pathname.split("/").filter((part) => part !== "");
    const rest = parts.slice(parts[0] === "api" ? 2 : 3);
    const isNamespaced = rest[0] === "namespaces" && rest.length > 2;
    const [plural = "", name = "", part = ""] = isNamespaced ? rest.slice(2) : rest;
    const type = this.#types.find((other) => other.plural === plural);
    if (type === undefined) throw new Error(`unknown ${path}`);
    return { type, namespace: isNamespaced ? (rest[1] ?? "") : "", name, part, query: url.searchParams };
  }
}

/** A response body that is filled chunk by chunk. */
class Pipe implements Body {
  readonly #pieces: Buffer[] = [];
  #error: { readonly reason: unknown } | undefined;
  #isEnded = false;
  #notify: () => void = () => undefined;

  push(text: string): void {
    this.#pieces.push(Buffer.from(text));
    this.#notify();
  }

  fail(reason: unknown): void {
    this.#error ??= { reason };
    this.#notify();
  }

  cancel(): void {
    this.#isEnded = true;
    this.#notify();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      for (let piece = this.#pieces.shift(); piece !== undefined; piece = this.#pieces.shift()) yield piece;
      if (this.#isEnded) return;
      if (this.#error !== undefined) throw this.#error.reason;
      await new Promise<void>((resolve) => {
        this.#notify = resolve;
      });
    }
  }
}

function json(status: number, value: unknown): Response {
  const pipe = new Pipe();
  pipe.push(JSON.stringify(value));
  pipe.cancel();
  return { status, headers: { "content-type": "application/json" }, body: pipe };
}

function failure(code: number, reason: string, message: string): Response {
  const details = { name: message.split(/[ :]/)[0] };
  return json(code, { kind: "Status", apiVersion: "v1", status: "Failure", reason, message, details, code });
}

function broken(): Error {
  return Object.assign(new Error("the connection broke"), { code: "ECONNRESET" });
}

function describe(method: string, { type, part, namespace, name }: RequestTarget): string {
  return `${method} ${type.plural}${part === "" ? "" : `/${part}`} ${keyIn(namespace, name)}`;
}

function keyIn(namespace: string, name: string): string {
  return namespace === "" ? name : `${namespace}/${name}`;
}

function idOf({ type, namespace, name }: RequestTarget): string {
  return `${type.plural} ${keyIn(namespace, name)}`;
}

function isIn({ metadata }: AnyObject, { namespace }: RequestTarget): boolean {
  return namespace === "" || metadata.namespace === namespace;
}

function withManager(before: readonly Manager[] = [], by: Manager | undefined): Manager[] {
  if (by === undefined) return [...before];
  const isSame = (other: Manager): boolean =>
    other.manager === by.manager && other.operation === by.operation && other.subresource === by.subresource;
  return [...before.filter((other) => !isSame(other)), by];
}

function kindOf({ group, version, kind }: ResourceType): { apiVersion: string; kind: string } {
  return { apiVersion: group === "" ? version : `${group}/${version}`, kind };
}

function specOf(object: AnyObject): string {
  const { metadata: _, status: __, ...rest } = object;
  return JSON.stringify(sorted(rest));
}

function isObject(value: unknown): value is AnyObject {
  return isRecord(value) && isRecord(value["metadata"]);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  const copy: JsonRecord = {};
  for (const key of Object.keys(value).sort()) safeSet(copy, key, sorted(value[key]));
  return copy;
}
