import type { BaselineReason, Decision } from "../decide/decision.ts";
import type { RoutingErrorReason } from "../key/key-steps.ts";
import type { ProxyRole } from "../request/request-view.ts";
import type { RoutingSettings } from "../settings/routing-settings.ts";
import type { RouteEntry, RouteTable, TablePort } from "../table/route-table.ts";

/**
 * Abilities that a case needs. A renderer lists those that it supports, and must give the expected outcome for every case that needs no
 * other.
 */
export type Feature =
  /** The key is in an explicit header. */
  | "explicit-header"
  | "group-header"
  | "baggage"
  /** Baggage with percent-encoding in the value of the key. */
  | "percent-encoding"
  /** Baggage with several members of a name of the key, or beyond the limits. */
  | "baggage-rules"
  | "compat-header"
  | "tracestate"
  | "custom-header"
  /** Several places of a request have different values. */
  | "several-keys"
  /** A place of a request has a value that is no key. */
  | "invalid-key"
  /** A header is repeated or has several values joined by commas. */
  | "repeated-header"
  | "path"
  /** Segments `.` and `..` in the path of a request. */
  | "dot-segments"
  /** Encoded slashes or NUL in the path of a request. */
  | "ambiguous-path"
  | "method"
  | "header-condition"
  /** A share of 0 or 100 percent. */
  | "percent-bounds"
  /** A share in between, with a value that keeps a caller on one side. */
  | "sticky-percent"
  /** Several routes for one key. */
  | "several-routes"
  | "several-ports"
  /** A workload without ready target whose requests fail. */
  | "fail"
  /** A workload without ready target whose requests go to the baseline. */
  | "fallback"
  | "hold"
  /** A target whose endpoints are unknown: requests go to its Service. */
  | "service-target"
  | "virtual"
  | "probe"
  /** Preview addresses: keys of hosts, cookies and query parameters. */
  | "gateway"
  /** Settings other than the defaults. */
  | "settings";

/** The request of a case. */
export interface CaseRequest {
  readonly method: string;
  readonly path: string;
  /** Fields in order; names may have any case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly clientAddress?: string;
  readonly isFromNode?: boolean;
  readonly assignedKey?: string;
  readonly defaultKey?: string;
}

/** Expected destination of a request. */
export type ExpectedOutcome =
  | { readonly type: "baseline"; readonly reason: BaselineReason }
  | {
      readonly type: "entry";
      readonly sandbox: string;
      readonly workload: string;
      readonly targets: readonly string[];
    }
  | {
      readonly type: "unavailable";
      readonly action: "Fail" | "Hold";
      readonly sandbox: string;
      readonly workload: string;
    };

/** A decision that the proxy and every renderer must agree on. */
export interface EquivalenceCase {
  /** Unique name. */
  readonly name: string;
  readonly features: readonly Feature[];
  readonly table: RouteTable;
  /** Port of the Service. */
  readonly port: number;
  readonly role: ProxyRole;
  readonly settings: RoutingSettings;
  /** Keys of other tables of the same proxy. */
  readonly otherKeys: readonly string[];
  readonly request: CaseRequest;
  readonly expected: ExpectedOutcome;
  /** Errors that the proxy counts. */
  readonly counted: readonly RoutingErrorReason[];
}

/** Returns a decision in the form of expected outcomes. */
export function outcomeOf(decision: Decision): ExpectedOutcome {
  if (decision.type === "baseline") return { type: "baseline", reason: decision.reason };
  const { sandbox, workload } = decision.route.entry;
  if (decision.type === "entry") return { type: "entry", sandbox, workload, targets: decision.targets };
  return { type: "unavailable", action: decision.action, sandbox, workload };
}

/** Tables of a case: entries of the Service `cart` in the namespace `shop`. */
export function tableOf(entries: readonly RouteEntry[], ports: readonly TablePort[] = [httpPort]): RouteTable {
  return { namespace: "shop", service: "cart", version: "9f2c61d0", interception: "Takeover", ports, entries };
}

/** Port 80 of the Service `cart`. */
export const httpPort: TablePort = {
  port: 80,
  name: "http",
  appProtocol: "http",
  listen: 21_007,
  baselineTarget: "cart--base.shop.svc:80",
};
