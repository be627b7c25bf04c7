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
import { registryPath } from "./keys.ts";
import { sealed, withVersion } from "./stored.ts";

/** `--max-request-bytes` of etcd. */
const requestBytesMax = 1536 * 1024;
/** The largest message that the etcd client sends. */
const sentBytesMax = 2 * 1024 * 1024;
/** The header of a request in the log of etcd: an id, and the name in the client certificate of kube-apiserver. */
const raftHeaderBytes = 31;
/** Smaller objects fit in every encoding, and are not measured again. */
const measuredFrom = 1024 * 1024;

/** The key of an object, and the revision that the write replaces. */
interface WritePlace {
  readonly call: Pick<Call, "kind" | "namespace">;
  readonly name: string;
  /** The revision that an update replaces; undefined for a creation. */
  readonly replaced?: number;
}

/**
 * Returns an object for the store, as `sealed` does, and refuses it when etcd would: the value is made before the store changes.
 *
 * An object that is too large is tried once more without `managedFields`, as kube-apiserver does. Throws a `StatusError` (500) in
 * the words of etcd.
 */
export function sealedWithinLimit(object: JsonRecord, place: WritePlace): (revision: number) => NewValue<JsonRecord> {
  return (revision) => {
    const made = sealed(object)(revision);
    if (made.bytes.length < measuredFrom || sizeProblem(object, place) === undefined) return made;
    const smaller = withoutManagedFields(object);
    const problem = sizeProblem(smaller, place);
    if (problem !== undefined) throw new StatusError(unknownErrorStatus(problem));
    return sealed(smaller)(revision);
  };
}

function withoutManagedFields(object: JsonRecord): JsonRecord {
  const metadata: JsonRecord = isRecord(object["metadata"]) ? { ...object["metadata"] } : {};
  delete metadata["managedFields"];
  return { ...object, metadata };
}

/** Returns the error of etcd or of its client about the size of an object; undefined when it fits. */
function sizeProblem(object: JsonRecord, { call, name, replaced }: WritePlace): string | undefined {
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
