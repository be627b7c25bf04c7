import { createHash } from "node:crypto";

/** A counted request. */
export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

/** Requests sent since the last report. */
export interface RequestReport {
  /** Number of requests by kind: `PATCH locusttests/status`. */
  readonly byKind: Readonly<Record<string, number>>;
  /** Requests with the same method, path and body as an earlier one. */
  readonly repeated: readonly string[];
}

/** Kinds of requests that every operator sends: watches, the lease, and events. */
const common: ReadonlySet<string> = new Set(["WATCH", "lease", "event"]);

/** Returns the kind of a request in one or two words. */
export function kindOf({ method, path }: Pick<Sent, "method" | "path">): string {
  const [place = "", query = ""] = path.split("?");
  if (/(?:^|&)watch=(?:true|1)/.test(query)) return "WATCH";
  if (place.includes("/leases")) return "lease";
  const parts = place
    .replace(/^\/(?:api\/[^/]+|apis\/[^/]+\/[^/]+)\/?/, "")
    .replace(/^namespaces\/[^/]+\//, "")
    .split("/")
    .filter((part) => part !== "");
  const [resource = "", name, subresource] = parts;
  if (resource === "events" && method !== "GET") return "event";
  const verb = method === "GET" && name === undefined ? "LIST" : method;
  return `${verb} ${subresource === undefined ? resource : `${resource}/${subresource}`}`;
}

/** Counts requests and records repeated ones. */
export class RequestCount {
  #byKind = new Map<string, number>();
  readonly #seen = new Set<string>();
  #repeated: string[] = [];

  add(sent: Sent): void {
    const kind = kindOf(sent);
    this.#byKind.set(kind, (this.#byKind.get(kind) ?? 0) + 1);
    if (common.has(kind)) return;
    const { method, path, body } = sent;
    const mark = createHash("sha256").update(`${method} ${path}\n${body}`).digest("base64");
    if (this.#seen.has(mark)) this.#repeated.push(`${method} ${path} ${body.slice(0, 200)}`);
    this.#seen.add(mark);
  }

  /** Returns the counts and resets them. Earlier requests are still remembered to detect repetitions. */
  take(): RequestReport {
    const report = { byKind: Object.fromEntries(this.#byKind), repeated: this.#repeated };
    this.#byKind = new Map();
    this.#repeated = [];
    return report;
  }
}

/** Returns the number of requests without those that every operator sends. */
export function ownRequests({ byKind }: RequestReport): number {
  return Object.entries(byKind).reduce((sum, [kind, count]) => (common.has(kind) ? sum : sum + count), 0);
}
