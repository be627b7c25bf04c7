import { DataDiskFullError, type StorageStoppedError } from "../storage/errors.ts";
import { unknownErrorStatus } from "./refusals.ts";
import type { ServerStatus } from "./status.ts";

/** Error of etcd when its quota is exceeded. kube-apiserver passes it on as a 500 without a reason. */
const etcdNoSpace = "etcdserver: mvcc: database space exceeded";

/** Returns the status (500) of a write that the disk rejected, with the cause and what to do. */
export function storageStoppedStatus(error: StorageStoppedError): ServerStatus {
  const isFull = error.cause instanceof DataDiskFullError;
  return unknownErrorStatus(isFull ? `${etcdNoSpace}: ${error.message}` : error.message);
}
