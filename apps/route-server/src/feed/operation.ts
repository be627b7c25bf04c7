import type { RouteTable, RoutingSettings } from "@homeostat/routing";

/** Settings of routing as they are sent: a subset of `RoutingSettings`, with defaults for what is absent. */
export type SentSettings = Partial<RoutingSettings>;

/**
 * One line of the stream.
 *
 * Operations before `SYNCED` have no version: they are not in the order of their changes. A version may be passed as `from` only
 * together with the epoch of the same server process.
 */
export type Operation =
  | { readonly op: "ADD" | "REPLACE"; readonly version?: number; readonly table: RouteTable }
  | {
      readonly op: "REMOVE";
      readonly version?: number;
      readonly table: { readonly namespace: string; readonly service: string };
    }
  | { readonly op: "CONFIG"; readonly routing: SentSettings }
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
 * The reason for which the server ends a stream. After all of them the proxy connects again, with the token that its file has then:
 *
 * - `TokenExpired`: the token of the stream has expired.
 * - `TokenRejected`: the API server no longer accepts it, because the ServiceAccount or the pod was deleted.
 * - `Replaced`: another stream with the same name was opened.
 * - `ServerStopping`: this replica stops; another one has the same tables.
 */
export type EndReason = "TokenExpired" | "TokenRejected" | "Replaced" | "ServerStopping";
