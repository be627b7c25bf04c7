import type {
  ApplyOptions,
  Client,
  Deleted,
  DeleteCollectionOptions,
  DeleteOptions,
  GetOptions,
  ObjectName,
  ObjectToApply,
  Patch,
  UpdateOptions,
  WriteResponse,
  WriteOptions,
} from "@homeostat/client";
import {
  AlreadyExistsError,
  type DeepReadonly,
  type KubeObject,
  nameSuffix,
  type Random,
  type ResourceType,
} from "@homeostat/core";
import { Pod } from "@homeostat/kubernetes/core/v1";
import type { WriteEvidence } from "../cache/writes.ts";
import { evidenceOfApply, evidenceOfPatch, evidenceOfUpdate } from "./evidence.ts";
import { recordedReads } from "./recorded-reads.ts";
import { WriteRecorder, type WriteRecorderOptions } from "./write-recorder.ts";

/**
 * A client that records its writes in the cache, so that they can be read from it at once ("read your writes").
 *
 * It has the methods of `Client` for objects.
 */
export type RecordedClient = Pick<
  Client,
  | "get"
  | "list"
  | "pages"
  | "items"
  | "create"
  | "update"
  | "patch"
  | "apply"
  | "createUnread"
  | "patchUnread"
  | "delete"
  | "deleteCollection"
  | "evict"
  | "logs"
  | "logBytes"
  | "reviewOwnAccess"
>;

/** Options of {@link recordedClient}. */
export interface RecordedClientOptions extends WriteRecorderOptions {
  /** Randomness for the suffixes of names with `generateName`. */
  readonly random: Random;
  /** True if the wrapped client sends all writes as dry runs. Default: false. */
  readonly isDryRun?: boolean;
}

type AnyObject = DeepReadonly<KubeObject>;

type TypedMethods = "get" | "create" | "update" | "patch" | "apply" | "delete" | "createUnread" | "patchUnread";

/** The reading methods of a client, without the types of its objects. */
export type ReadingClient = Pick<PlainClient, "get" | "list" | "pages" | "items" | "logs" | "logBytes">;

/** A client without the types of its objects, for the implementation. The public type ensures that kind and object match. */
export interface PlainClient extends Omit<RecordedClient, TypedMethods> {
  get(type: ResourceType, name: ObjectName, options?: GetOptions): Promise<KubeObject | undefined>;
  create(type: ResourceType, object: AnyObject, options?: WriteOptions): Promise<KubeObject>;
  update(type: ResourceType, object: AnyObject, options?: UpdateOptions): Promise<KubeObject>;
  patch(type: ResourceType, name: ObjectName, change: Patch, options?: UpdateOptions): Promise<KubeObject>;
  apply(type: ResourceType, object: ObjectToApply<KubeObject>, options?: ApplyOptions): Promise<KubeObject>;
  createUnread(type: ResourceType, object: AnyObject, options?: WriteOptions): Promise<WriteResponse>;
  patchUnread(type: ResourceType, name: ObjectName, change: Patch, options?: UpdateOptions): Promise<WriteResponse>;
  delete(type: ResourceType, name: ObjectName, options?: DeleteOptions): Promise<Deleted<KubeObject>>;
}

/** The methods of the wrapped client. */
interface SendingClient extends PlainClient {
  updateUnread(type: ResourceType, object: AnyObject, options?: UpdateOptions): Promise<WriteResponse>;
  applyUnread(type: ResourceType, object: ObjectToApply<KubeObject>, options?: ApplyOptions): Promise<WriteResponse>;
}

/** Maximum number of generated names that are tried, like the API server (its registry's `maxNameGenerationCreateAttempts`). */
const namesMax = 8;
/** Maximum length of `generateName`; the API server truncates a longer one, too. */
const generateNameMax = 58;

/**
 * Returns a client that records all of its writes in the cache and a journal.
 *
 * For `generateName`, the name is generated here in the same way as by the API server, so that the cache knows it before the object exists. The
 * results of `deleteCollection` and `evict` reach the cache by watch events only. Dry runs are not recorded.
 *
 * @example
 * const recorded = recordedClient(client, { cache, writer: "tenants default/blue", journal, clock, random });
 */
export function recordedClient(
  client: RecordedClient & Pick<Client, "updateUnread" | "applyUnread">,
  options: RecordedClientOptions,
): RecordedClient;
export function recordedClient(client: SendingClient, options: RecordedClientOptions): PlainClient {
  const recorder = new WriteRecorder(options);
  const isDry = (dryRun: boolean | undefined): boolean => dryRun ?? options.isDryRun ?? false;
  const create: PlainClient["createUnread"] = (type, object, how) => {
    if (isDry(how?.dryRun)) return client.createUnread(type, object, how);
    const send = (named: AnyObject): Promise<WriteResponse> =>
      recorder.write({ verb: "create", type, name: nameOf(named) }, () => client.createUnread(type, named, how), {
        evidence: () => ({ isNew: true }),
      });
    const { name = "", generateName = "" } = object.metadata;
    return name !== "" || generateName === "" ? send(object) : createNamed(object, options.random, send);
  };
  const patch: PlainClient["patchUnread"] = (type, name, change, how) => {
    const call = (): Promise<WriteResponse> => client.patchUnread(type, name, change, how);
    if (isDry(how?.dryRun)) return call();
    const about = { verb: "patch", type, name, subresource: how?.subresource } as const;
    const merge = "merge" in change ? change.merge : undefined;
    return recorder.write(about, call, { evidence: () => evidenceOfPatch(change), merge });
  };
  return {
    ...(options.journal.read === undefined ? readingClient(client) : recordedReads(client, options)),
    reviewOwnAccess: (wanted, how) => client.reviewOwnAccess(wanted, how),

    createUnread: create,
    patchUnread: patch,
    create: async (type, object, how) => (await create(type, object, how)).object,
    patch: async (type, name, change, how) => (await patch(type, name, change, how)).object,

    async update(type, object, how) {
      if (isDry(how?.dryRun)) return client.update(type, object, how);
      const call = (): Promise<WriteResponse> => client.updateUnread(type, object, how);
      const about = { verb: "update", type, name: nameOf(object), subresource: how?.subresource } as const;
      return (await recorder.write(about, call, { evidence: () => evidenceOfUpdate(object) })).object;
    },

    async apply(type, object, how) {
      if (isDry(how?.dryRun)) return client.apply(type, object, how);
      const call = (): Promise<WriteResponse> => client.applyUnread(type, object, how);
      const about = { verb: "apply", type, name: nameOf(object), subresource: how?.subresource } as const;
      const evidence = (response: WriteResponse): WriteEvidence => evidenceOfApply(object, response.object);
      return (await recorder.write(about, call, { evidence })).object;
    },

    async delete(type, name, how) {
      const call = (): Promise<Deleted<KubeObject>> => client.delete(type, name, how);
      if (isDry(how?.dryRun)) return call();
      return recorder.remove({ type, name, uid: how?.preconditions?.uid }, call);
    },

    async deleteCollection<T extends KubeObject>(type: ResourceType<T>, how: DeleteCollectionOptions): Promise<T[]> {
      const call = (): Promise<T[]> => client.deleteCollection(type, how);
      if (isDry(how.dryRun)) return call();
      return recorder.other({ verb: "delete", type, name: { namespace: how.namespace, name: "*" } }, call, (deleted) =>
        deleted.length > 0 ? "written" : "unchanged",
      );
    },

    async evict(pod, how) {
      const call = (): Promise<boolean> => client.evict(pod, how);
      if (isDry(how?.dryRun)) return call();
      return recorder.other({ verb: "create", type: Pod, name: pod, subresource: "eviction" }, call, (wasThere) =>
        wasThere ? "written" : "unchanged",
      );
    },
  };
}

/** Returns the reading methods of a client. */
function readingClient(client: SendingClient): ReadingClient {
  return {
    get: (type, name, how) => client.get(type, name, how),
    list: (type, how) => client.list(type, how),
    pages: (type, how) => client.pages(type, how),
    items: (type, how) => client.items(type, how),
    logs: (pod, how) => client.logs(pod, how),
    logBytes: (pod, how) => client.logBytes(pod, how),
  };
}

/** Creates an object with a generated name, and tries another name if it is taken. */
async function createNamed(
  object: AnyObject,
  random: Random,
  send: (named: AnyObject) => Promise<WriteResponse>,
): Promise<WriteResponse> {
  const prefix = (object.metadata.generateName ?? "").slice(0, generateNameMax);
  for (let attempt = 1; ; attempt += 1) {
    const name = `${prefix}${nameSuffix(random)}`;
    try {
      return await send({ ...object, metadata: { ...object.metadata, name } });
    } catch (error) {
      if (!(error instanceof AlreadyExistsError) || attempt === namesMax) throw error;
    }
  }
}

function nameOf({ metadata }: { readonly metadata: object }): ObjectName {
  const { name, namespace }: { readonly name?: unknown; readonly namespace?: unknown } = metadata;
  return {
    name: typeof name === "string" ? name : "",
    namespace: typeof namespace === "string" ? namespace : undefined,
  };
}
