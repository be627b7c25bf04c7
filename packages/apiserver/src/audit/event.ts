import { formatMicroTime, isRecord, type JsonRecord, microsFromMs } from "@homeostat/core";
import type { User } from "../auth/user.ts";
import { type HandlerResponse, headerOf, type ServerRequest } from "../http/handler.ts";
import type { ServerStatus } from "../status/status.ts";
import { textAt, valueAt } from "../values/fields.ts";

/** A user in an audit event. */
export interface AuditUser {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The object that a request is about. Fields that do not apply are missing. */
export interface AuditObject {
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly apiGroup?: string;
  readonly apiVersion?: string;
  readonly resourceVersion?: string;
  readonly subresource?: string;
}

/** An event of the audit log (`audit.k8s.io/v1`), of the level `Metadata`: no request and no response bodies. */
export interface AuditEvent {
  readonly kind: "Event";
  readonly apiVersion: "audit.k8s.io/v1";
  readonly level: "Metadata";
  readonly auditID: string;
  /** `Panic` if the handler failed unexpectedly. */
  readonly stage: "ResponseComplete" | "Panic";
  /** Path and query as sent. */
  readonly requestURI: string;
  readonly verb: string;
  /** The authenticated user; empty if authentication failed. */
  readonly user: AuditUser;
  readonly impersonatedUser?: AuditUser;
  /** The verb that authorized a constrained impersonation. */
  readonly authenticationMetadata?: { readonly impersonationConstraint: string };
  readonly sourceIPs?: readonly string[];
  readonly userAgent?: string;
  /** Undefined for non-resource requests. */
  readonly objectRef?: AuditObject;
  readonly responseStatus: { readonly metadata: object; readonly code: number } & JsonRecord;
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
  /** The decision of authorization, with its reason. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** The observations about a request that become its audit event. */
export interface Audited {
  readonly request: ServerRequest;
  /** Times in milliseconds since the epoch. */
  readonly receivedAt: number;
  readonly endedAt: number;
  readonly user: User | undefined;
  readonly impersonated: User | undefined;
  readonly constraint: string | undefined;
  readonly decision: { readonly isAllowed: boolean; readonly reason: string } | undefined;
  /** Metadata of the object in the body of a create or update. */
  readonly sent: JsonRecord | undefined;
  readonly outcome: AuditedOutcome;
}

/** A response, a rejection, or an unexpected error. */
export type AuditedOutcome =
  | { readonly response: HandlerResponse }
  | { readonly status: ServerStatus }
  | { readonly error: unknown };

/** Builds the audit event of a request. */
export function auditEvent(audited: Audited): AuditEvent {
  const { request, user, impersonated, constraint, decision, outcome } = audited;
  const { info, headers, peer } = request;
  const userAgent = headerOf(headers, "user-agent");
  const ips = sourceIPs(headerOf(headers, "x-forwarded-for"), peer.address);
  return {
    kind: "Event",
    apiVersion: "audit.k8s.io/v1",
    level: "Metadata",
    auditID: request.auditId,
    stage: "error" in outcome ? "Panic" : "ResponseComplete",
    requestURI: request.uri,
    verb: info.verb,
    user: user === undefined ? {} : auditUser(user),
    ...(impersonated === undefined ? {} : { impersonatedUser: auditUser(impersonated) }),
    ...(constraint === undefined ? {} : { authenticationMetadata: { impersonationConstraint: constraint } }),
    ...(ips.length === 0 ? {} : { sourceIPs: ips }),
    ...(userAgent === undefined ? {} : { userAgent: userAgent.slice(0, 1024) }),
    ...(info.isResource ? { objectRef: auditObject(audited) } : {}),
    responseStatus: responseStatus(outcome),
    requestReceivedTimestamp: formatMicroTime(microsFromMs(audited.receivedAt)),
    stageTimestamp: formatMicroTime(microsFromMs(audited.endedAt)),
    ...(decision === undefined
      ? {}
      : {
          annotations: {
            "authorization.k8s.io/decision": decision.isAllowed ? "allow" : "forbid",
            "authorization.k8s.io/reason": decision.reason,
          },
        }),
  };
}

function sourceIPs(forwarded: string | undefined, address: string): readonly string[] {
  const all = [...(forwarded ?? "").split(",").map((each) => each.trim()), address].filter((each) => each !== "");
  return [...new Set(all)];
}

function auditUser({ name, uid, groups, extra }: User): AuditUser {
  return {
    ...(name === "" ? {} : { username: name }),
    ...(uid === "" ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

function auditObject({ request: { info }, sent }: Audited): AuditObject {
  const fields = {
    resource: info.resource,
    namespace: info.namespace === "" ? textAt(sent, "namespace") : info.namespace,
    name: info.name === "" ? textAt(sent, "name") : info.name,
    uid: textAt(sent, "uid"),
    apiGroup: info.group,
    apiVersion: info.version,
    resourceVersion: textAt(sent, "resourceVersion"),
    subresource: info.subresource,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ""));
}

/** Returns the code of the response. Of a `Status` in its body, the fields that kube-apiserver copies. */
function responseStatus(outcome: AuditedOutcome): AuditEvent["responseStatus"] {
  if ("error" in outcome) {
    const message = `APIServer panic'd: ${outcome.error instanceof Error ? outcome.error.message : "unknown error"}`;
    return { metadata: {}, status: "Failure", message, reason: "InternalError", code: 500 };
  }
  const status = "status" in outcome ? outcome.status : statusIn(outcome.response);
  const code = "status" in outcome ? (outcome.status.code ?? 500) : outcome.response.status;
  const copied = ["status", "message", "reason", "details"].flatMap((field) => {
    const value: unknown = valueAt(status, field);
    return value === undefined ? [] : [[field, value] as const];
  });
  return { metadata: {}, ...Object.fromEntries(copied), code };
}

const statusStart = '{"kind":"Status"';

/** Returns the `Status` in the body of a response, for example of a deletion. */
function statusIn(response: HandlerResponse): JsonRecord | undefined {
  if ("stream" in response) return undefined;
  const { body } = response;
  const start =
    typeof body === "string" ? body.slice(0, statusStart.length) : decode(body.subarray(0, statusStart.length));
  if (start !== statusStart) return undefined;
  const status: unknown = JSON.parse(typeof body === "string" ? body : decode(body));
  return isRecord(status) ? status : undefined;
}

function decode(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}
