// Route tables
export type {
  EntryMatch,
  EntryMiddleware,
  EntryMode,
  EntryPort,
  EntrySource,
  Fault,
  HeaderMatch,
  Interception,
  OnUnavailable,
  PathMatch,
  RouteEntry,
  RouteTable,
  StickyBy,
  TablePort,
} from "./table/route-table.ts";
