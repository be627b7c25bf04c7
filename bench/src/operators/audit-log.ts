import { closeSync, existsSync, openSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { readPointer } from "@homeostat/core";
import { kindOf } from "./request-count.ts";

/** Namespace of the service accounts whose requests are recorded. */
export const operatorNamespace = "operators";

const policy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived, ResponseStarted]
rules:
  - level: Metadata
    userGroups: ["system:serviceaccounts:${operatorNamespace}"]
  - level: None
`;

/** Returns the policy of the audit log, to be written to a file, and the flags of the API server that use it. */
export function auditSetup(folder: string): { readonly policy: string; readonly flags: readonly string[] } {
  const flags = [
    `--audit-policy-file=${join(folder, "policy.yaml")}`,
    `--audit-log-path=${join(folder, "audit.log")}`,
    // One file: a rotated log would be read in part.
    "--audit-log-maxsize=2000",
  ];
  return { policy, flags };
}

/** Number of requests by purpose. Watches and the lease are not counted. */
export interface RequestCounts {
  /** Reads of one object. */
  readonly reads: number;
  readonly lists: number;
  /** Creations, changes and deletions, without events. */
  readonly writes: number;
  readonly events: number;
  /** Number of requests by kind: `POST services`. */
  readonly byKind: Readonly<Record<string, number>>;
}

/** Requests of one operator as the API server received them, from its audit log. */
export class AuditLog {
  readonly #path: string;
  readonly #user: string;

  /** `serviceAccount` is the name of the operator's service account. */
  constructor(folder: string, serviceAccount: string) {
    this.#path = join(folder, "audit.log");
    this.#user = `system:serviceaccount:${operatorNamespace}:${serviceAccount}`;
  }

  /** Returns the length of the log, to be passed to {@link since} later. */
  mark(): number {
    return existsSync(this.#path) ? statSync(this.#path).size : 0;
  }

  /** Returns the requests that were completed after a mark. */
  since(mark: number): RequestCounts {
    const bytes = Buffer.alloc(Math.max(0, this.mark() - mark));
    if (bytes.length === 0) return countRequests("", this.#user);
    const file = openSync(this.#path, "r");
    try {
      const length = readSync(file, bytes, { position: mark });
      return countRequests(bytes.toString("utf8", 0, length), this.#user);
    } finally {
      closeSync(file);
    }
  }
}

/** Returns the number of requests without events. */
export function ownRequests({ reads, lists, writes }: RequestCounts): number {
  return reads + lists + writes;
}

const methods: Readonly<Record<string, string>> = {
  get: "GET",
  list: "GET",
  watch: "GET",
  create: "POST",
  update: "PUT",
  patch: "PATCH",
  delete: "DELETE",
  deletecollection: "DELETE",
};

/** Counts the requests of a user in the text of an audit log. */
export function countRequests(text: string, user: string): RequestCounts {
  const counts = { reads: 0, lists: 0, writes: 0, events: 0 };
  const byKind: Record<string, number> = {};
  for (const line of text.split("\n")) {
    // The first and the last line may be incomplete, because the API server writes at any time.
    if (!line.startsWith("{") || !line.endsWith("}")) continue;
    const event: unknown = JSON.parse(line);
    if (readPointer(event, "/user/username") !== user) continue;
    const verb = String(readPointer(event, "/verb"));
    const path = String(readPointer(event, "/requestURI"));
    const kind = kindOf({ method: methods[verb] ?? verb, path });
    // Discovery and the version have no resource.
    if (kind === "WATCH" || kind === "lease" || readPointer(event, "/objectRef/resource") === undefined) continue;
    byKind[kind] = (byKind[kind] ?? 0) + 1;
    if (kind === "event") counts.events += 1;
    else if (kind.startsWith("LIST ")) counts.lists += 1;
    else if (kind.startsWith("GET ")) counts.reads += 1;
    else counts.writes += 1;
  }
  return { ...counts, byKind };
}
