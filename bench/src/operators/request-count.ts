import { createHash } from "node:crypto";

/** A request, as far as it is counted. */
export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

/** What was sent since the last time somebody asked. */
export interface RequestReport {
  /** How many of each kind: `PATCH locusttests/status`. */
  readonly byKind: Readonly<Record<string, number>>;
  /** Requests of which there was one with the same method, path and body before. */
  readonly repeated: readonly string[];
}

/** Kinds that every operator of a cluster sends: what follows the cluster, the lease, and events. */
const common: ReadonlySet<string> = new Set(["WATCH", "lease", "event"]);

/** What a request is about, in one or two words. */
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

/** Counts requests, and notes those that were sent before. */
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

  /** What was counted; counting begins anew, but what was sent before is not forgotten. */
  take(): RequestReport {
    const report = { byKind: Object.fromEntries(this.#byKind), repeated: this.#repeated };
    this.#byKind = new Map();
    this.#repeated = [];
    return report;
  }
}

/** How many requests there were beside those that every operator sends. */
export function ownRequests({ byKind }: RequestReport): number {
  return Object.entries(byKind).reduce((sum, [kind, count]) => (common.has(kind) ? sum : sum + count), 0);
}
