// Longer than most files: one request handler with its methods.

import type { Request, Response, Transport } from "@homeostat/client";
import {
  applyJsonPatch,
  applyMergePatch,
  type Clock,
  type DeepReadonly,
  formatTime,
  isEqual,
  isRecord,
  type JsonRecord,
  type KubeObject,
  ownValue,
  parseFieldSelector,
  parseLabelSelector,
  PatchError,
  withoutUndefined,
} from "@homeostat/core";
import { applied, updated } from "./apply.ts";
import { checkedTypeOf, collectionName, type KindTable } from "./kind-table.ts";
import { conflict, invalid, notFound, recordIn, Refusal } from "./refusal.ts";
import { jsonResponse, silentWatch } from "./respond.ts";
import { type AnyObject, isObject, nextGeneration, withServerMetadata, withStatus } from "./stored-object.ts";
import { keyIn, type RequestTarget, targetOf } from "./target.ts";

/** Kubernetes verbs of writes, with `apply` for a patch by server-side apply. */
export type WriteVerb = "create" | "update" | "patch" | "apply" | "delete";

/** A write that the API server in memory has carried out. */
export interface MemoryWrite {
  readonly verb: WriteVerb;
  readonly kind: string;
  readonly apiVersion: string;
  readonly key: string;
  readonly subresource: string;
  readonly fieldManager: string | undefined;
  readonly isDryRun: boolean;
  /** False if the object already had this content. */
  readonly isChange: boolean;
  readonly body: unknown;
  /** The object after the write; undefined if it was deleted. */
  readonly object: AnyObject | undefined;
}

/** Options of a {@link MemoryApi}. */
export interface MemoryApiOptions {
  readonly kinds: KindTable;
  readonly clock: Clock;
  /** The initial objects. Missing UIDs, resource versions and defaults are added. */
  readonly objects: readonly DeepReadonly<KubeObject>[];
}

/**
 * An API server in memory for the requests of one reconcile: resource versions, UIDs, finalizers, the status subresource, server-side apply, and
 * defaults and validation of kinds with a schema.
 *
 * It is not a cluster: no admission, no defaults of built-in kinds, no garbage collector; its watches report nothing, and access reviews allow all.
 */
export class MemoryApi implements Transport {
  /** The writes that were carried out, in order. */
  readonly writes: MemoryWrite[] = [];
  readonly #objects = new Map<string, AnyObject>();
  readonly #kinds: KindTable;
  readonly #clock: Clock;
  #revision = 1;

  constructor({ kinds, clock, objects }: MemoryApiOptions) {
    this.#kinds = kinds;
    this.#clock = clock;
    for (const object of objects) this.#add(object);
  }

  /** Returns all objects in the order in which they were created. */
  get objects(): readonly AnyObject[] {
    return [...this.#objects.values()];
  }

  async send(request: Request): Promise<Response> {
    request.signal?.throwIfAborted();
    await Promise.resolve();
    request.beforeSending?.();
    const target = targetOf(request);
    if (request.method === "GET" && target.query.get("watch") !== null) return silentWatch(request.signal);
    try {
      return jsonResponse(request.method === "POST" ? 201 : 200, this.#handle(request, target));
    } catch (error) {
      if (error instanceof Refusal) return jsonResponse(error.status, error.body);
      throw error;
    }
  }

  #add(given: DeepReadonly<KubeObject>): void {
    const copy: unknown = structuredClone(given);
    if (!isObject(copy)) return;
    const defaulted: unknown = checkedTypeOf(this.#kinds.ofObject(copy))?.default(copy) ?? copy;
    const object = withServerMetadata(isObject(defaulted) ? defaulted : copy, this.#clock.now());
    this.#revision = Math.max(this.#revision, Number(object.metadata.resourceVersion) || 0);
    this.#objects.set(this.#idOf(object), object);
  }

  #handle(request: Request, target: RequestTarget): unknown {
    const body: unknown = request.body === undefined ? {} : JSON.parse(Buffer.from(request.body).toString());
    switch (request.method) {
      case "GET":
        return target.name === "" ? this.#list(request, target) : this.#shown(this.#find(target), request);
      case "POST":
        return this.#post(target, recordIn(body));
      case "PUT":
        return this.#replace(target, recordIn(body));
      case "PATCH":
        return this.#patch(request, target, body);
      case "DELETE":
        return this.#delete(target, isRecord(body) ? body : {});
    }
  }

  // ── reading ──

  #list(request: Request, target: RequestTarget): JsonRecord {
    const { group, version } = target;
    return {
      apiVersion: group === "" ? version : `${group}/${version}`,
      kind: "List",
      metadata: { resourceVersion: String(this.#revision) },
      items: this.#selected(target).map((object) => this.#shown(object, request)),
    };
  }

  #selected({ group, plural, namespace, query }: RequestTarget): AnyObject[] {
    const labels = parseLabelSelector(query.get("labelSelector") ?? "");
    const fields = parseFieldSelector(query.get("fieldSelector") ?? "");
    const collection = collectionName(group, plural);
    return this.objects.filter(
      (object) =>
        this.#kinds.collectionOf(object) === collection &&
        (namespace === "" || object.metadata.namespace === namespace) &&
        labels.matches(object.metadata.labels ?? {}) &&
        fields.matches((field) => textAt(object, field)),
    );
  }

  #find(target: RequestTarget): AnyObject {
    const { group, plural, name } = target;
    const found = this.#objects.get(idOfTarget(target));
    if (found === undefined) throw notFound(collectionName(group, plural), name);
    if (target.subresource === "" || target.subresource === "status") return found;
    const message = `${plural}/${target.subresource} is not part of a test without a server; use a cluster`;
    throw new Refusal({ status: 404, reason: "NotFound", message });
  }

  /** Returns an object in the form that the request accepts: whole, or only its metadata. */
  #shown(object: AnyObject, { headers = {} }: Request): JsonRecord {
    if (!String(headers["accept"]).includes("as=PartialObjectMetadata")) return object;
    return { apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadata", metadata: object.metadata };
  }

  // ── writing ──

  #post(target: RequestTarget, body: JsonRecord): unknown {
    if (target.plural.endsWith("reviews")) return { ...body, status: { allowed: true } };
    if (target.subresource === "eviction") {
      const pod = { ...target, subresource: "" };
      this.#find(pod);
      this.#delete(pod, {});
      return { kind: "Status", apiVersion: "v1", status: "Success" };
    }
    if (!isObject(body)) throw invalid("the object has no apiVersion, kind or metadata");
    const { metadata } = body;
    const at = { ...target, name: metadata.name ?? "" };
    if (this.#objects.has(idOfTarget(at))) {
      const message = `${collectionName(at.group, at.plural)} "${at.name}" already exists`;
      throw new Refusal({ status: 409, reason: "AlreadyExists", message, details: { name: at.name } });
    }
    return this.#insert(at, body, { verb: "create", body });
  }

  #insert(target: RequestTarget, given: AnyObject, about: Pick<MemoryWrite, "verb" | "body">): AnyObject {
    const { namespace } = target;
    // The API server ignores these fields of an object that is created.
    const { uid: _uid, resourceVersion: _version, ...rest } = given.metadata;
    const metadata = { ...rest, ...(namespace === "" ? {} : { namespace }) };
    const type = this.#kinds.ofObject(given);
    const isStatusIgnored = type === undefined || !("hasStatus" in type) || type.hasStatus === true;
    const plain = isStatusIgnored ? withStatus({ ...given, metadata }, undefined) : { ...given, metadata };
    const empty: AnyObject = { apiVersion: given.apiVersion, kind: given.kind, metadata: {} };
    const tracked = about.verb === "apply" ? plain : updated(empty, plain, requestOf(target));
    const stored = withServerMetadata(this.#checked(tracked), this.#clock.now());
    stored.metadata.resourceVersion = String(this.#revision + 1);
    return this.#store(target, stored, about);
  }

  #replace(target: RequestTarget, body: JsonRecord): AnyObject {
    const before = this.#find(target);
    if (!isObject(body)) throw invalid("the object has no apiVersion, kind or metadata");
    return this.#change(target, { before, after: body, verb: "update", body });
  }

  #patch({ headers = {} }: Request, target: RequestTarget, body: unknown): AnyObject {
    const type = String(headers["content-type"]);
    if (type.startsWith("application/apply-patch")) return this.#apply(target, recordIn(body));
    const before = this.#find(target);
    try {
      const patched = type.startsWith("application/json-patch")
        ? applyJsonPatch(before, body)
        : applyMergePatch(before, body);
      if (!isObject(patched)) throw invalid("the patched object has no apiVersion, kind or metadata");
      return this.#change(target, { before, after: patched, verb: "patch", body });
    } catch (error) {
      if (error instanceof PatchError) throw invalid(error.message);
      throw error;
    }
  }

  #apply(target: RequestTarget, config: JsonRecord): AnyObject {
    const existing = this.#objects.get(idOfTarget(target));
    const about = { verb: "apply", body: config } as const;
    if (existing !== undefined) {
      const after = applied(existing, config, requestOf(target));
      return this.#change(target, { before: existing, after, ...about });
    }
    if (!isObject(config)) throw invalid("the object has no apiVersion, kind or metadata");
    const { metadata } = config;
    if (metadata.uid !== undefined) throw conflict("uid mismatch: the object does not exist");
    if (target.subresource !== "") throw notFound(collectionName(target.group, target.plural), target.name);
    const empty: AnyObject = { apiVersion: config.apiVersion, kind: config.kind, metadata: {} };
    return this.#insert(target, applied(empty, config, requestOf(target)), about);
  }

  /** Replaces an object if the UID and the resource version that the write names are current. */
  #change(
    target: RequestTarget,
    {
      before,
      after,
      ...about
    }: Pick<MemoryWrite, "verb" | "body"> & { readonly before: AnyObject; readonly after: AnyObject },
  ): AnyObject {
    const { uid = before.metadata.uid, resourceVersion = before.metadata.resourceVersion } = after.metadata;
    if (uid !== before.metadata.uid) throw conflict(`metadata.uid is ${before.metadata.uid}, not ${uid}`);
    if (resourceVersion !== before.metadata.resourceVersion) {
      throw conflict("the object has been modified; please apply your changes to the latest version and try again");
    }
    const type = this.#kinds.ofObject(before);
    const keepsStatus = type !== undefined && "hasStatus" in type && type.hasStatus === true;
    const changed: AnyObject = {
      ...after,
      metadata: { ...after.metadata, ...withoutUndefined({ uid, resourceVersion }) },
    };
    const merged =
      target.subresource === "status"
        ? withStatus({ ...before, metadata: { ...before.metadata, ...managers(after) } }, after["status"])
        : keepsStatus
          ? withStatus(changed, before["status"])
          : changed;
    const isLeaving = before.metadata.deletionTimestamp !== undefined;
    const { finalizers = [] } = before.metadata;
    if (isLeaving && merged.metadata.finalizers?.some((finalizer) => !finalizers.includes(finalizer)) === true) {
      throw invalid("metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted");
    }
    const tracked = about.verb === "apply" ? merged : updated(before, merged, requestOf(target));
    const checked = this.#checked(tracked, before);
    if (isEqual(checked, before)) return this.#store(target, before, { ...about, isChange: false });
    const isChange = !isEqual(withoutManagers(checked), withoutManagers(before));
    checked.metadata.generation = nextGeneration(before, checked);
    checked.metadata.resourceVersion = String(this.#revision + 1);
    return this.#store(target, checked, { ...about, isChange });
  }

  /** Applies the defaults of a kind with a schema, and rejects an invalid object as the API server does. */
  #checked(object: AnyObject, old?: AnyObject): AnyObject {
    const type = checkedTypeOf(this.#kinds.ofObject(object));
    const problems = type?.check(object, old === undefined ? {} : { old }) ?? [];
    if (problems.length > 0) {
      const texts = problems.map(({ path, message }) => `${path}: ${message}`);
      const causes = problems.map(({ path: field, message }) => ({ field, message, reason: "FieldValueInvalid" }));
      throw invalid(`${object.kind} "${object.metadata.name}" is invalid: ${texts.join(", ")}`, causes);
    }
    const defaulted: unknown = type?.default(object) ?? object;
    return structuredClone(isObject(defaulted) ? defaulted : object);
  }

  #delete(target: RequestTarget, options: JsonRecord): unknown {
    if (target.name === "") return this.#deleteAll(target, options);
    const before = this.#find(target);
    const conditions = recordIn(ownValue(options, "preconditions") ?? {});
    for (const field of ["uid", "resourceVersion"] as const) {
      const expected = ownValue(conditions, field);
      if (expected === undefined || expected === before.metadata[field]) continue;
      throw conflict(
        `the ${field === "uid" ? "UID" : "ResourceVersion"} in the precondition (${JSON.stringify(expected)}) does not match the object`,
      );
    }
    const isDryRun = ownValue(options, "dryRun") !== undefined;
    const about = { verb: "delete", body: options } as const;
    if ((before.metadata.finalizers ?? []).length === 0) {
      this.#remove(target, before, { ...about, isDryRun });
      const { uid } = before.metadata;
      return { kind: "Status", apiVersion: "v1", status: "Success", details: { name: target.name, uid } };
    }
    const deletionTimestamp = formatTime(Math.floor(this.#clock.now() / 1000) * 1000);
    const metadata = { deletionTimestamp, ...before.metadata, resourceVersion: String(this.#revision + 1) };
    return this.#store(target, { ...before, metadata }, { ...about, isDryRun });
  }

  #deleteAll(target: RequestTarget, options: JsonRecord): JsonRecord {
    const items = this.#selected(target);
    for (const { metadata } of items) {
      this.#delete({ ...target, name: metadata.name ?? "", namespace: metadata.namespace ?? "" }, options);
    }
    const { group, version } = target;
    return { apiVersion: group === "" ? version : `${group}/${version}`, kind: "List", metadata: {}, items };
  }

  /** Stores an object, and removes it if it is being deleted and has no finalizers left. Dry runs store nothing. */
  #store(
    target: RequestTarget,
    object: AnyObject,
    about: Pick<MemoryWrite, "verb" | "body"> & Partial<Pick<MemoryWrite, "isDryRun" | "isChange">>,
  ): AnyObject {
    const { isDryRun = target.query.get("dryRun") !== null, isChange = true } = about;
    const { deletionTimestamp, finalizers = [] } = object.metadata;
    if (deletionTimestamp !== undefined && finalizers.length === 0) {
      this.#remove(target, object, { ...about, isDryRun });
      return object;
    }
    if (!isDryRun) {
      this.#revision = Math.max(this.#revision, Number(object.metadata.resourceVersion) || 0);
      this.#objects.set(idOfTarget(target), object);
    }
    this.#note(target, object, { ...about, isDryRun, isChange, object });
    return object;
  }

  #remove(target: RequestTarget, before: AnyObject, about: Pick<MemoryWrite, "verb" | "body" | "isDryRun">): void {
    if (!about.isDryRun) {
      this.#revision += 1;
      this.#objects.delete(idOfTarget(target));
    }
    this.#note(target, before, { ...about, isChange: true, object: undefined });
  }

  #note(
    { query, namespace, name, subresource }: RequestTarget,
    { apiVersion, kind }: AnyObject,
    about: Pick<MemoryWrite, "verb" | "body" | "isDryRun" | "isChange" | "object">,
  ): void {
    const fieldManager = query.get("fieldManager") ?? undefined;
    this.writes.push({ ...about, kind, apiVersion, key: keyIn(namespace, name), subresource, fieldManager });
  }

  #idOf(object: AnyObject): string {
    const { name = "", namespace = "" } = object.metadata;
    return `${this.#kinds.collectionOf(object)} ${keyIn(namespace, name)}`;
  }
}

function idOfTarget({ group, plural, namespace, name }: RequestTarget): string {
  return `${collectionName(group, plural)} ${keyIn(namespace, name)}`;
}

function requestOf({ query, subresource }: RequestTarget): {
  readonly fieldManager: string;
  readonly isForced: boolean;
  readonly subresource: string;
} {
  return {
    fieldManager: query.get("fieldManager") ?? "unknown",
    isForced: query.get("force") === "true",
    subresource,
  };
}

function managers({ metadata: { managedFields } }: AnyObject): Pick<AnyObject["metadata"], "managedFields"> {
  return managedFields === undefined ? {} : { managedFields };
}

function withoutManagers(object: AnyObject): JsonRecord {
  const { managedFields: _managed, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** Returns a field such as `metadata.name` or `spec.nodeName` as text, for field selectors. */
function textAt(object: AnyObject, field: string): string | undefined {
  let value: unknown = object;
  for (const step of field.split(".")) value = isRecord(value) ? ownValue(value, step) : undefined;
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : undefined;
}
