import type { Client } from "@homeostat/client";

/**
 * A client whose writes the cache hears of, so that they can be read from it at once.
 *
 * It can do what `Client` can with objects; what it cannot is in `raw`.
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
  | "delete"
  | "deleteCollection"
  | "evict"
  | "logs"
  | "logBytes"
  | "reviewOwnAccess"
>;
