import type { HeaderSource } from "@homeostat/routing";
import type { FieldTable } from "../hpack/field-table.ts";
import { nameKinds } from "../hpack/field-names.ts";
import type { HttpProtocol, IncomingRequest } from "../router/route-plan.ts";

/** Facts about a connection that all of its requests share. */
export interface ClientFacts {
  readonly scheme: "http" | "https";
  readonly clientAddress: string | undefined;
}

/** Fields of a table, until it is filled again with those of another request. */
class RequestFields implements HeaderSource {
  #table: FieldTable | undefined;

  constructor(table: FieldTable) {
    this.#table = table;
  }

  get(name: string): string | readonly string[] | undefined {
    return this.#table?.get(name);
  }

  /** Ends the access, or continues it on an own copy: the fields of one request must never be taken for those of another. */
  detach(table?: FieldTable): void {
    this.#table = table;
  }
}

/** A request that passed {@link readRequestHead}. */
export class RequestHead implements IncomingRequest {
  readonly protocol: HttpProtocol = "http2";
  readonly scheme: "http" | "https";
  readonly clientAddress: string | undefined;
  readonly method: string;
  readonly path: string;
  readonly authority: string | undefined;
  readonly isUpgrade: boolean;
  readonly isGrpc: boolean;
  readonly headers: RequestFields;
  /** Declared length of the body, or -1. */
  readonly contentLength: number;

  constructor(
    table: FieldTable,
    client: ClientFacts,
    parts: Pick<RequestHead, "method" | "path" | "authority" | "isUpgrade" | "contentLength">,
  ) {
    this.scheme = client.scheme;
    this.clientAddress = client.clientAddress;
    this.method = parts.method;
    this.path = parts.path;
    this.authority = parts.authority;
    this.isUpgrade = parts.isUpgrade;
    this.contentLength = parts.contentLength;
    this.headers = new RequestFields(table);
    const type = table.get("content-type");
    this.isGrpc = typeof type === "string" && isGrpcType(type);
  }
}

/** Reports whether a content type is that of gRPC. gRPC-Web is not: its errors are ordinary responses. */
export function isGrpcType(type: string): boolean {
  if (!type.startsWith("application/grpc")) return false;
  const next = type.charCodeAt(16);
  return Number.isNaN(next) || next === 0x2b || next === 0x3b;
}

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const commonMethods: ReadonlySet<string> = new Set(["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"]);
/** Characters of a host and port. User information is forbidden (RFC 9113, 8.3.1). */
const authorityForm = /^[A-Za-z0-9\-._~:%[\]!$&'()*+,;=]*$/;
/**
 * Checks the fields of a request (RFC 9113, 8.2 and 8.3). Returns a text that names the problem if the request is malformed; it must not be forwarded
 * then, because another server may understand it differently.
 */
export function readRequestHead(
  table: FieldTable,
  client: ClientFacts,
  { isEnd }: { readonly isEnd: boolean },
): RequestHead | string {
  if (table.problem !== undefined) return table.problem;
  let method: string | undefined;
  let path: string | undefined;
  let scheme: string | undefined;
  let authority: string | undefined;
  let protocol: string | undefined;
  let host: string | undefined;
  let contentLength = -1;
  for (let index = 0; index < table.count; index += 1) {
    switch (table.kindAt(index)) {
      case nameKinds.method:
        if (method !== undefined) return ":method is repeated";
        method = table.valueAt(index);
        break;
      case nameKinds.path:
        if (path !== undefined) return ":path is repeated";
        path = table.valueAt(index);
        break;
      case nameKinds.scheme:
        if (scheme !== undefined) return ":scheme is repeated";
        scheme = table.valueAt(index);
        break;
      case nameKinds.authority:
        if (authority !== undefined) return ":authority is repeated";
        authority = table.valueAt(index);
        break;
      case nameKinds.protocol:
        if (protocol !== undefined) return ":protocol is repeated";
        protocol = table.valueAt(index);
        break;
      case nameKinds.status:
        return "a request has :status";
      case nameKinds.te:
        if (table.valueAt(index).toLowerCase() !== "trailers") return "te is not trailers";
        break;
      case nameKinds.host:
        if (host !== undefined) return "host is repeated";
        host = table.valueAt(index);
        break;
      case nameKinds.contentLength:
        if (contentLength !== -1) return "content-length is repeated";
        contentLength = readContentLength(table.valueAt(index));
        if (contentLength === -1) return "content-length is invalid";
        break;
      default:
    }
  }
  if (method === undefined) return ":method is missing";
  if (!commonMethods.has(method) && !token.test(method)) return ":method is invalid";
  const isUpgrade = protocol !== undefined;
  if (isUpgrade && (method !== "CONNECT" || !token.test(protocol ?? ""))) return ":protocol is invalid";
  if (method === "CONNECT" && !isUpgrade) {
    // A tunnel to any host. The proxy refuses it, but its form must be valid.
    if (path !== undefined || scheme !== undefined || authority === undefined) return "CONNECT has invalid fields";
  } else {
    if (path === undefined || scheme === undefined) return ":path or :scheme is missing";
    if (scheme !== "http" && scheme !== "https") return ":scheme is invalid";
    if (!isPath(path) || (path === "*" && method !== "OPTIONS")) return ":path is invalid";
  }
  if (authority !== undefined && host !== undefined && authority !== host) return "host differs from :authority";
  const name = authority ?? host;
  if (name !== undefined && !authorityForm.test(name)) return ":authority is invalid";
  if (isUpgrade && contentLength !== -1) return "an extended CONNECT has content-length";
  if (isEnd && contentLength > 0) return "content-length differs from the body";
  return new RequestHead(table, client, { method, path: path ?? "", authority: name, isUpgrade, contentLength });
}

/** Returns the number of a valid content-length, or -1. */
export function readContentLength(value: string): number {
  return /^\d{1,15}$/.test(value) ? Number(value) : -1;
}

/** Returns the timeout of a gRPC call in milliseconds, or undefined if it has none. */
export function readGrpcTimeout(value: string | readonly string[] | undefined): number | undefined {
  const match = typeof value === "string" ? /^(\d{1,8})([HMSmun])$/.exec(value) : null;
  if (match === null) return undefined;
  const unitMs: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 0.001, n: 0.000_001 };
  return Number(match[1]) * (unitMs[match[2] ?? "S"] ?? 1_000);
}

/**
 * Reports whether a path is in origin form, or `*`. Spaces and control characters would end a request line of HTTP/1.1, so servers
 * disagree on them; and on a fragment, which is no part of a path.
 */
function isPath(path: string): boolean {
  if (path === "*") return true;
  if (path.charCodeAt(0) !== 0x2f) return false;
  for (let at = 1; at < path.length; at += 1) {
    const code = path.charCodeAt(at);
    if (code <= 0x20 || code === 0x7f || code === 0x23) return false;
  }
  return true;
}
