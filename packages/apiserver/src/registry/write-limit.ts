// kube-apiserver stores each object with one etcd transaction, and etcd and its client bound the size of a request. The sizes are
// computed as etcd computes them, so that an object that fits here fits into a real cluster, to within a few bytes.

import { isRecord, type JsonRecord } from "@homeostat/core";
import { encodeProtobuf } from "../codec/encode-protobuf.ts";
import { sealEnvelope } from "../codec/envelope.ts";
import { typeTable } from "../codec/type-table.ts";
import { unknownErrorStatus } from "../status/refusals.ts";
import { StatusError } from "../status/status.ts";
import type { NewValue } from "../storage/entry.ts";
import type { Call } from "./call.ts";
import { registryPath } from "../resources/keys.ts";
import { encodeAtRevision, withVersion } from "./stored-object.ts";

/** `--max-request-bytes` of etcd. */
const requestBytesMax = 1536 * 1024;
/** The largest message that the etcd client sends. */
const sentBytesMax = 2 * 1024 * 1024;
/** Header of a request in the raft log of etcd: an ID and the common name of kube-apiserver's client certificate. */
const raftHeaderBytes = 31;
/** JSON size from which on an object is measured. Smaller objects fit in every encoding. */
const measuredFromBytes = 1024 * 1024;

/** The key of an object and the revision that its write replaces; both count towards the size of the transaction. */
interface WriteTarget {
  readonly call: Pick<Call, "kind" | "namespace">;
  readonly name: string;
  /** The revision that an update replaces; undefined for a create. */
  readonly replaced?: number;
}

/**
 * Returns an encoder for the store, as `encodeAtRevision` does, that rejects objects that etcd would reject. The store calls it
 * before it changes anything.
 *
 * An object that is too large is retried once without `managedFields`, as kube-apiserver does. The encoder throws a `StatusError` (500)
 * with the message of etcd.
 */
export function encodeWithinLimit(object: JsonRecord, target: WriteTarget): (revision: number) => NewValue<JsonRecord> {
  return (revision) => {
    const encoded = encodeAtRevision(object)(revision);
    if (encoded.bytes.length < measuredFromBytes || sizeProblem(object, target) === undefined) return encoded;
    const smaller = withoutManagedFields(object);
    const problem = sizeProblem(smaller, target);
    if (problem !== undefined) throw new StatusError(unknownErrorStatus(problem));
    return encodeAtRevision(smaller)(revision);
  };
}

function withoutManagedFields(object: JsonRecord): JsonRecord {
  const metadata: JsonRecord = isRecord(object["metadata"]) ? { ...object["metadata"] } : {};
  delete metadata["managedFields"];
  return { ...object, metadata };
}

/** Returns the error of etcd or of its client about the size of an object; undefined when it fits. */
function sizeProblem(object: JsonRecord, { call, name, replaced }: WriteTarget): string | undefined {
  const value = etcdValueBytes(call, object);
  const key = Buffer.byteLength(registryPath({ ...call, name }, { isDryRun: false }));
  const bytes = transactionBytes({ key, value, replaced });
  if (bytes > sentBytesMax) {
    const problem = `trying to send message larger than max (${bytes} vs. ${sentBytesMax})`;
    return `rpc error: code = ResourceExhausted desc = ${problem}`;
  }
  return fieldBytes(bytes) + raftHeaderBytes > requestBytesMax ? "etcdserver: request is too large" : undefined;
}

/** Returns the size of an object in etcd: JSON for custom resources and definitions, protobuf for other kinds. */
function etcdValueBytes({ kind }: Pick<Call, "kind">, object: JsonRecord): number {
  const stored = withVersion(object, "");
  const { apiVersion, kind: word } = stored;
  const isText = typeof apiVersion === "string" && typeof word === "string";
  const type = isText && !kind.resource.isCustom ? typeTable().kindType(apiVersion, word) : undefined;
  if (type === undefined || !isText) return Buffer.byteLength(JSON.stringify(stored)) + 1;
  const metadata = isRecord(stored["metadata"]) ? stored["metadata"] : {};
  return sealEnvelope(apiVersion, word, encodeProtobuf(type, { ...stored, metadata })).length;
}

/** Returns the size of the transaction: a comparison of the revision, a put, and a read for when the comparison fails. */
function transactionBytes({
  key,
  value,
  replaced,
}: {
  readonly key: number;
  readonly value: number;
  readonly replaced: number | undefined;
}): number {
  const compare = 2 + fieldBytes(key) + 1 + varintBytes(replaced ?? 0);
  const put = fieldBytes(fieldBytes(key) + fieldBytes(value));
  const read = replaced === undefined ? 0 : fieldBytes(fieldBytes(fieldBytes(key)));
  return fieldBytes(compare) + fieldBytes(put) + read;
}

/** Returns the size of a field of so many bytes: tag, length and content. */
function fieldBytes(length: number): number {
  return 1 + varintBytes(length) + length;
}

function varintBytes(value: number): number {
  let count = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) count += 1;
  return count;
}
