import { isRecord } from "@homeostat/core";
import type { PreviewHost } from "../preview/preview-host.ts";
import type { PreviewSettings } from "../preview/preview-settings.ts";
import type { RoutingSettings } from "../settings/routing-settings.ts";
import type { RouteTable } from "../table/route-table.ts";

/** Settings of routing as they are sent: a subset of `RoutingSettings`, with defaults for what is absent. */
export type SentSettings = Partial<RoutingSettings>;

/**
 * One line of the stream of a route server.
 *
 * Operations before `SYNCED` have no version: they are not in the order of their changes. A version may be passed as `from` only
 * together with the epoch of the same server process.
 */
export type StreamOperation =
  | { readonly op: "ADD" | "REPLACE"; readonly version?: number; readonly table: RouteTable }
  | { readonly op: "REMOVE"; readonly version?: number; readonly table: TableName }
  | { readonly op: "CONFIG"; readonly routing: SentSettings }
  /** A preview host; only gateways get it, and the two operations after it. */
  | { readonly op: "HOST"; readonly version?: number; readonly host: PreviewHost }
  | { readonly op: "HOST_REMOVED"; readonly version?: number; readonly host: HostName }
  | { readonly op: "PREVIEW"; readonly preview: PreviewSettings }
  | {
      readonly op: "SYNCED";
      readonly version: number;
      readonly epoch: string;
      /** True if all tables were sent: the subscriber drops tables that it did not receive on this stream. */
      readonly snapshot: boolean;
    }
  | { readonly op: "PING"; readonly version?: number }
  | { readonly op: "END"; readonly reason: EndReason; readonly message: string };

/**
 * Reason why a server ends a stream. After all of them the proxy connects again, with the token that its file has then:
 *
 * - `TokenExpired`: the token of the stream has expired.
 * - `TokenRejected`: the API server no longer accepts it, because the ServiceAccount or the pod was deleted.
 * - `Replaced`: another stream with the same name was opened.
 * - `ServerStopping`: this replica stops; another one has the same tables.
 */
export type EndReason = "TokenExpired" | "TokenRejected" | "Replaced" | "ServerStopping";

/** The Service of a table. */
export interface TableName {
  readonly namespace: string;
  readonly service: string;
}

/** A preview host and the namespace of its Service. */
export interface HostName {
  readonly namespace: string;
  readonly host: string;
}

/** An operation as it was received: its form is checked, its table and settings are not. */
export type ReceivedOperation =
  | { readonly op: "ADD" | "REPLACE"; readonly version: number | undefined; readonly table: unknown }
  | { readonly op: "REMOVE"; readonly version: number | undefined; readonly table: TableName }
  | { readonly op: "CONFIG"; readonly routing: unknown }
  | { readonly op: "HOST"; readonly version: number | undefined; readonly host: unknown }
  | { readonly op: "HOST_REMOVED"; readonly version: number | undefined; readonly host: HostName }
  | { readonly op: "PREVIEW"; readonly preview: unknown }
  | { readonly op: "SYNCED"; readonly version: number; readonly epoch: string; readonly snapshot: boolean }
  | { readonly op: "PING"; readonly version: number | undefined }
  | { readonly op: "END"; readonly reason: string; readonly message: string }
  /** An operation of a newer server. The proxy ignores it. */
  | { readonly op: "UNKNOWN"; readonly name: string };

/**
 * Reads a line of the stream; undefined if it is not an operation. A proxy that receives such a line reconnects, because it cannot tell what it has
 * missed. Unknown fields and operations are ignored, so an older proxy follows a newer server.
 */
export function parseOperation(line: string): ReceivedOperation | undefined {
  const value = parseJson(line);
  if (!isRecord(value) || typeof value["op"] !== "string") return undefined;
  const { op, table, routing, host, preview, epoch, snapshot, reason, message } = value;
  const version = versionOf(value["version"]);
  if (version === "invalid") return undefined;
  switch (op) {
    case "ADD":
    case "REPLACE":
      return isRecord(table) ? { op, version, table } : undefined;
    case "REMOVE": {
      const { namespace, service } = isRecord(table) ? table : {};
      if (typeof namespace !== "string" || typeof service !== "string") return undefined;
      return { op, version, table: { namespace, service } };
    }
    case "CONFIG":
      return isRecord(routing) ? { op, routing } : undefined;
    case "HOST":
      return isRecord(host) ? { op, version, host } : undefined;
    case "HOST_REMOVED": {
      const { namespace, host: name } = isRecord(host) ? host : {};
      if (typeof namespace !== "string" || typeof name !== "string") return undefined;
      return { op, version, host: { namespace, host: name } };
    }
    case "PREVIEW":
      return isRecord(preview) ? { op, preview } : undefined;
    case "SYNCED":
      if (version === undefined || typeof epoch !== "string" || typeof snapshot !== "boolean") return undefined;
      return { op, version, epoch, snapshot };
    case "PING":
      return { op, version };
    case "END":
      if (typeof reason !== "string" || typeof message !== "string") return undefined;
      return { op, reason, message };
    default:
      return { op: "UNKNOWN", name: op };
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function versionOf(value: unknown): number | undefined | "invalid" {
  if (value === undefined) return undefined;
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : "invalid";
}
