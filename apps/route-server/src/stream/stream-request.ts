// Reads and authorizes the query of a stream and the body of a confirmation.

import { dnsLabelProblems, isRecord } from "@homeostat/core";
import { parseReport, type TrafficReport } from "@homeostat/routing";
import type { ProxyIdentity } from "../auth/token-auth.ts";
import type { TableFilter } from "../feed/filter.ts";
import type { FeedPosition } from "../feed/table-feed.ts";
import type { TokenUse } from "../proxies/use-writer.ts";
import { type JsonResponse, refusal } from "../http/response.ts";
import { isProxyName } from "../proxies/proxy-name.ts";

/** A stream that a proxy may open. */
export interface StreamRequest {
  readonly proxy: string;
  readonly filter: TableFilter;
  readonly from: FeedPosition | undefined;
}

type Read<T> = { readonly request: T } | { readonly refused: JsonResponse };

const roles = ["gateway", "takeover", "sidecar"] as const;
const parameters = new Set(["namespace", "role", "services", "proxy", "from"]);
const servicesMax = 1_000;
const errorsMax = 1_000;
const usesMax = 1_000;

/**
 * Reads the query of a stream. A proxy gets the tables of the namespace of its token and no others; a gateway in the system namespace may follow all
 * namespaces, because it gets only tables of Services that preview endpoints route to.
 */
export function readStreamRequest(
  query: URLSearchParams,
  identity: ProxyIdentity,
  systemNamespace: string,
): Read<StreamRequest> {
  const problems: string[] = [];
  for (const name of query.keys()) {
    if (!parameters.has(name)) problems.push(`${name} is not a known parameter; use ${[...parameters].join(", ")}`);
  }
  const role = roles.find((each) => each === query.get("role"));
  if (role === undefined) problems.push(`role must be one of ${roles.join(", ")}, not ${shown(query.get("role"))}`);
  const proxy = query.get("proxy") ?? "";
  if (!isProxyName(proxy))
    problems.push(`proxy must be the name of the proxy, such as that of its pod, not ${shown(proxy)}`);
  const namespace = query.get("namespace") ?? "";
  if (namespace !== "" && dnsLabelProblems(namespace).length > 0)
    problems.push(`namespace ${shown(namespace)} is not a name`);
  const services = (query.get("services") ?? "").split(",").filter((name) => name !== "");
  if (services.length > servicesMax) problems.push(`services must name at most ${servicesMax} Services`);
  for (const name of services.slice(0, servicesMax)) {
    if (dnsLabelProblems(name).length > 0)
      problems.push(`services contains ${shown(name)}, which is not the name of a Service`);
  }
  const from = query.get("from") ?? "";
  const position = positionOf(from);
  if (from !== "" && position === undefined) {
    problems.push(`from must be EPOCH.VERSION of the last SYNCED or operation, not ${shown(from)}`);
  }
  if (role === undefined || problems.length > 0) return { refused: refusal(400, ...problems) };

  const isSystemGateway = role === "gateway" && identity.namespace === systemNamespace;
  if (!isSystemGateway && namespace !== "" && namespace !== identity.namespace) {
    const reason = `the token belongs to namespace ${identity.namespace} and gets no tables of namespace ${namespace}`;
    return { refused: refusal(403, `${reason}; use a ServiceAccount of ${namespace}`) };
  }
  const selected = isSystemGateway ? (namespace === "" ? undefined : namespace) : identity.namespace;
  const filter = {
    namespace: selected,
    role,
    services: services.length === 0 ? undefined : new Set(services),
    // A sidecar has the name of its pod.
    ...(role === "sidecar" && { pod: proxy }),
  };
  return { request: { proxy, filter, from: position } };
}

/** Reads `EPOCH.VERSION`. A version without epoch is that of an unknown process: its subscriber gets all tables. */
export function positionOf(text: string): FeedPosition | undefined {
  const [, epoch = "", version] = /^(?:([A-Za-z0-9-]{1,64})\.)?(\d{1,15})$/.exec(text) ?? [];
  return version === undefined ? undefined : { epoch, version: Number(version) };
}

/** A confirmation: the proxy uses all tables up to a version, except those with errors. */
export interface AckRequest {
  readonly proxy: string;
  readonly version: number;
  readonly epoch: string | undefined;
  readonly errors: readonly {
    readonly namespace: string | undefined;
    readonly service: string;
    readonly message: string;
  }[];
  /** Uses of preview tokens since the last confirmation. */
  readonly uses: readonly TokenUse[];
}

/** Reads the body of a confirmation. */
export function readAckRequest(value: unknown): Read<AckRequest> {
  if (!isRecord(value)) return { refused: refusal(400, "the body must be an object with proxy and version") };
  const { proxy, version, epoch, errors = [], uses = [] } = value;
  const problems: string[] = [];
  if (typeof proxy !== "string" || !isProxyName(proxy))
    problems.push("proxy must be the name that the stream was opened with");
  if (typeof version !== "number" || !Number.isSafeInteger(version) || version < 0) {
    problems.push("version must be the version of the last operation that was applied");
  }
  if (epoch !== undefined && typeof epoch !== "string") problems.push("epoch must be the epoch of SYNCED");
  const read: { namespace: string | undefined; service: string; message: string }[] = [];
  if (!Array.isArray(errors) || errors.length > errorsMax)
    problems.push(`errors must be a list of at most ${errorsMax} objects`);
  else {
    for (const [index, each] of errors.entries()) {
      const { namespace, service, message = "" } = isRecord(each) ? each : {};
      if (typeof service !== "string" || service === "" || typeof message !== "string") {
        problems.push(`errors[${index}] must be an object with service and message`);
      } else read.push({ service, message, namespace: typeof namespace === "string" ? namespace : undefined });
    }
  }
  const used = readUses(uses);
  if (used === undefined)
    problems.push(`uses must be a list of at most ${usesMax} objects with id, count and lastUsedAt`);
  if (problems.length > 0 || used === undefined || typeof proxy !== "string" || typeof version !== "number") {
    return { refused: refusal(400, ...problems) };
  }
  return {
    request: { proxy, version, errors: read, uses: used, epoch: typeof epoch === "string" ? epoch : undefined },
  };
}

/** Reads uses of tokens; undefined if one is malformed. */
function readUses(value: unknown): readonly TokenUse[] | undefined {
  if (!Array.isArray(value) || value.length > usesMax) return undefined;
  const uses: TokenUse[] = [];
  for (const each of value) {
    const { id, count, lastUsedAt } = isRecord(each) ? each : {};
    if (typeof id !== "string" || id === "" || id.length > 128) return undefined;
    if (typeof count !== "number" || !Number.isSafeInteger(count) || count < 1 || count > 1_000_000) return undefined;
    if (typeof lastUsedAt !== "string" || Number.isNaN(Date.parse(lastUsedAt))) return undefined;
    uses.push({ id, count, lastUsedAt });
  }
  return uses;
}

/** Reads the body of a report of traffic. */
export function readReport(value: unknown): Read<TrafficReport> {
  const { report, problems } = parseReport(value);
  if (report !== undefined) return { request: report };
  return { refused: refusal(400, ...problems.map((each) => `${each.field} is ${each.value}: ${each.reason}`)) };
}

function shown(text: string | null): string {
  return text === null || text === "" ? "empty" : JSON.stringify(text.slice(0, 64));
}
