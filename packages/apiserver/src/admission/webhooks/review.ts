// The question to a webhook, and what of its answer counts.

import { quote } from "@homeostat/cel";
import { isList, isRecord, type JsonRecord } from "@homeostat/core";
import type { User } from "../../auth/user.ts";
import { DecodeError } from "../../codec/decode-error.ts";
import { readJson } from "../../codec/read-value.ts";
import { readYaml } from "../../codec/read-yaml.ts";
import type { ServedKind } from "../../registry/served-kind.ts";
import { failure, type ServerStatus, type ServerStatusCause, StatusError } from "../../status/status.ts";
import { isSet, listAt, numberAt, textAt, valueAt } from "../../values/fields.ts";
import type { AdmissionRequest } from "../admission.ts";
import { resourceOf } from "../forbid.ts";
import { limitProblem } from "./response-limits.ts";
import { WebhookCallError } from "./webhook-errors.ts";

/** A question about a request. */
export interface ReviewQuestion {
  readonly uid: string;
  readonly version: "v1" | "v1beta1";
  readonly request: AdmissionRequest;
  /** The kind as which the webhook wants to see the object. */
  readonly kind: ServedKind;
  readonly object: JsonRecord | undefined;
  readonly oldObject: JsonRecord | undefined;
}

/** The body of an `AdmissionReview` that asks, with its keys in the order of the real server. */
export function reviewOf({ uid, version, request, kind, object, oldObject }: ReviewQuestion): JsonRecord {
  return {
    kind: "AdmissionReview",
    apiVersion: `admission.k8s.io/${version}`,
    request: { uid, ...admissionRequestOf(request, kind, { object: object ?? null, oldObject: oldObject ?? null }) },
  };
}

/** What webhooks and expressions are told of a request; `objects` stand between its writer and its options. */
export function admissionRequestOf(request: AdmissionRequest, kind: ServedKind, objects: JsonRecord): JsonRecord {
  const { subresource, operation, user, isDryRun, options } = request;
  const namespace = resourceOf(request) === "namespaces" ? request.name : request.namespace;
  return {
    ...subjectOf(kind, subresource, { kind: "kind", resource: "resource", subresource: "subResource" }),
    ...subjectOf(request.kind, subresource, {
      kind: "requestKind",
      resource: "requestResource",
      subresource: "requestSubResource",
    }),
    ...(request.name === "" ? {} : { name: request.name }),
    ...(namespace === "" ? {} : { namespace }),
    operation,
    userInfo: userInfo(user),
    ...objects,
    dryRun: isDryRun,
    options: operation === "CONNECT" ? null : shownOptions(operation, options),
  };
}

/** A patch is shown as what it comes to: an update, or a creation. */
function shownOptions(operation: string, options: JsonRecord): JsonRecord {
  if (options["kind"] !== "PatchOptions") return options;
  const { kind: _kind, force: _force, ...rest } = options;
  return { kind: operation === "CREATE" ? "CreateOptions" : "UpdateOptions", ...rest };
}

function subjectOf(
  { resource: row }: ServedKind,
  subresource: string,
  names: { readonly kind: string; readonly resource: string; readonly subresource: string },
): JsonRecord {
  const { group, version, plural } = row;
  const part = row.subresources.find(({ name }) => name === subresource);
  const isOther = part !== undefined && part.version !== "";
  return {
    [names.kind]: {
      group: isOther ? part.group : group,
      version: isOther ? part.version : version,
      kind: part?.kind ?? row.kind,
    },
    [names.resource]: { group, version, resource: plural },
    ...(subresource === "" ? {} : { [names.subresource]: subresource }),
  };
}

function userInfo({ name, uid, groups, extra }: User): JsonRecord {
  return {
    ...(name === "" ? {} : { username: name }),
    ...(uid === "" ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

/** What a webhook answered. */
export interface ReviewAnswer {
  readonly isAllowed: boolean;
  /** A JSON Patch as text; empty when there is none. */
  readonly patch: string;
  readonly patchType: string;
  /** Why not, as it was sent. */
  readonly result: unknown;
  readonly warnings: readonly string[];
}

/** Reads the answer to a question; throws a {@link WebhookCallError} when it is none. */
export function readAnswer(
  text: string,
  { uid, version, mayPatch }: { readonly uid: string; readonly version: "v1" | "v1beta1"; readonly mayPatch: boolean },
): ReviewAnswer {
  const review = parsed(text);
  const response = valueAt(review, "response");
  const invalid = (why: string): WebhookCallError => new WebhookCallError(`received invalid webhook response: ${why}`);
  if (!isRecord(response)) throw invalid("webhook response was absent");
  const patch = textAt(response, "patch");
  const patchType = valueAt(response, "patchType");
  if (version === "v1") {
    const said = textAt(response, "uid");
    if (said !== uid) throw invalid(`expected response.uid=${quote(uid)}, got ${quote(said)}`);
    checkKind(review, invalid);
    const complaint = patchComplaint(patch, patchType, mayPatch);
    if (complaint !== undefined) throw invalid(complaint);
  }
  return {
    isAllowed: valueAt(response, "allowed") === true,
    patch: mayPatch ? Buffer.from(patch, "base64").toString("utf8") : "",
    patchType: version === "v1beta1" ? "JSONPatch" : textAt(response, "patchType"),
    result: valueAt(response, "status"),
    warnings: listAt(response, "warnings").map(String),
  };
}

function patchComplaint(patch: string, patchType: unknown, mayPatch: boolean): string | undefined {
  const isTyped = patchType !== undefined && patchType !== null;
  if (mayPatch) {
    if (patch !== "" && !isTyped) return "webhook returned response.patch but not response.patchType";
    if (patch === "" && isTyped) return "webhook returned response.patchType but not response.patch";
    return patchType === "" ? 'webhook returned invalid response.patchType of ""' : undefined;
  }
  if (patch !== "") return "validating webhook may not return response.patch";
  return isTyped ? "validating webhook may not return response.patchType" : undefined;
}

function checkKind(review: unknown, invalid: (why: string) => WebhookCallError): void {
  const [apiVersion, kind] = [textAt(review, "apiVersion"), textAt(review, "kind")];
  if (apiVersion === "admission.k8s.io/v1" && kind === "AdmissionReview") return;
  const slash = apiVersion.indexOf("/");
  const found = `${slash === -1 ? `/${apiVersion}` : apiVersion}, Kind=${kind}`;
  throw invalid(`expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got ${found}`);
}

const goStruct =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** The body of an answer. The real server reads YAML as well, and takes what names no kind for what it expects. */
function parsed(text: string): unknown {
  const problem = limitProblem(text, "AdmissionReview");
  if (problem !== undefined) throw new WebhookCallError(unreadable(problem));
  try {
    const { value } = text.trimStart().startsWith("{") ? readJson(text) : readYaml(text);
    if (!isRecord(value) || isList(value)) {
      throw new WebhookCallError(
        unreadable(`json: cannot unmarshal ${typeName(value)} into Go value of type ${goStruct}`),
      );
    }
    const [kind, version] = [textAt(value, "kind"), textAt(value, "apiVersion")];
    if (kind !== "" && kind !== "AdmissionReview") {
      const why = `no kind ${quote(kind)} is registered for version ${quote(version)}`;
      throw new WebhookCallError(`failed to call webhook: ${why} in scheme "pkg/runtime/scheme.go:111"`);
    }
    return value;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new WebhookCallError(unreadable(error.message), { cause: error });
  }
}

function unreadable(why: string): string {
  return `failed to call webhook: couldn't get version/kind; json parse error: ${why}`;
}

function typeName(value: unknown): string {
  if (isList(value)) return "array";
  return typeof value === "bigint" ? "number" : typeof value === "boolean" ? "bool" : typeof value;
}

/** The refusal of a webhook, in its own words: never a success, whatever it says of itself. */
export function deniedStatus(name: string, result: unknown): StatusError {
  const who = `admission webhook ${quote(name)} denied the request`;
  const [message, reason] = [textAt(result, "message"), textAt(result, "reason")];
  const why = message === "" ? reason : message;
  const code = numberAt(result, "code");
  const details = valueAt(result, "details");
  return new StatusError(
    withOwnStatus(
      failure({
        code: code < 400 ? 400 : code,
        ...(reason === "" ? {} : { reason }),
        message: why === "" ? `${who} without explanation` : `${who}: ${why}`,
        ...(isRecord(details) ? { details: detailsOf(details) } : {}),
      }),
      result,
    ),
  );
}

function withOwnStatus(status: ServerStatus, result: unknown): ServerStatus {
  const token = textAt(result, "metadata", "continue");
  return token === "" ? status : { ...status, metadata: { continue: token } };
}

function detailsOf(details: JsonRecord): NonNullable<ServerStatus["details"]> {
  const causes = listAt(details, "causes").map((cause): ServerStatusCause => {
    const field = (name: string): JsonRecord => (isSet(cause, name) ? { [name]: textAt(cause, name) } : {});
    return { ...field("reason"), ...field("message"), ...field("field") };
  });
  return {
    name: textAt(details, "name"),
    group: textAt(details, "group"),
    kind: textAt(details, "kind"),
    uid: textAt(details, "uid"),
    causes,
    retryAfterSeconds: numberAt(details, "retryAfterSeconds"),
  };
}
