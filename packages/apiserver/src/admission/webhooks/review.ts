// AdmissionReview requests to webhooks, and their responses.

import { quote } from "@homeostat/cel";
import { isList, isRecord, type JsonRecord } from "@homeostat/core";
import type { User } from "../../auth/user.ts";
import { DecodeError } from "../../codec/decode-error.ts";
import { readJson } from "../../codec/read-value.ts";
import { readYaml } from "../../codec/read-yaml.ts";
import type { ServedKind } from "../../resources/served-kind.ts";
import { failure, type ServerStatus, type ServerStatusCause, StatusError } from "../../status/status.ts";
import { isSet, listAt, numberAt, textAt, valueAt } from "../../values/fields.ts";
import type { AdmissionRequest } from "../admission.ts";
import { resourceOf } from "../forbid.ts";
import { limitProblem } from "./response-limits.ts";
import { WebhookCallError } from "./webhook-errors.ts";

/** The content of an AdmissionReview request. */
export interface ReviewRequest {
  readonly uid: string;
  readonly version: "v1" | "v1beta1";
  readonly request: AdmissionRequest;
  /** The kind in whose version the webhook sees the object. */
  readonly kind: ServedKind;
  readonly object: JsonRecord | undefined;
  readonly oldObject: JsonRecord | undefined;
}

/** Builds the body of an `AdmissionReview` request, with keys in the order of the real server. */
export function reviewOf({ uid, version, request, kind, object, oldObject }: ReviewRequest): JsonRecord {
  return {
    kind: "AdmissionReview",
    apiVersion: `admission.k8s.io/${version}`,
    request: { uid, ...admissionRequestOf(request, kind, { object: object ?? null, oldObject: oldObject ?? null }) },
  };
}

/**
 * Builds the `AdmissionRequest` for webhooks and expressions. `objects` is inserted between the user and the options,
 * as on the real server.
 */
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
    options: operation === "CONNECT" ? null : optionsForReview(operation, options),
  };
}

/** Webhooks see the options of a patch as those of the update or create that it amounts to. */
function optionsForReview(operation: string, options: JsonRecord): JsonRecord {
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
  const hasOwnKind = part !== undefined && part.version !== "";
  return {
    [names.kind]: {
      group: hasOwnKind ? part.group : group,
      version: hasOwnKind ? part.version : version,
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

/** The parsed response of a webhook. */
export interface ReviewResponse {
  readonly isAllowed: boolean;
  /** JSON Patch as text; empty if there is none. */
  readonly patch: string;
  readonly patchType: string;
  /** Status of a refusal, as sent. */
  readonly result: unknown;
  readonly warnings: readonly string[];
}

/**
 * Parses the response of a webhook.
 *
 * @throws WebhookCallError if it is not a valid response to this request.
 */
export function readReviewResponse(
  text: string,
  { uid, version, mayPatch }: { readonly uid: string; readonly version: "v1" | "v1beta1"; readonly mayPatch: boolean },
): ReviewResponse {
  const review = parseBody(text);
  const response = valueAt(review, "response");
  const invalid = (why: string): WebhookCallError => new WebhookCallError(`received invalid webhook response: ${why}`);
  if (!isRecord(response)) throw invalid("webhook response was absent");
  const patch = textAt(response, "patch");
  const patchType = valueAt(response, "patchType");
  if (version === "v1") {
    const responseUid = textAt(response, "uid");
    if (responseUid !== uid) throw invalid(`expected response.uid=${quote(uid)}, got ${quote(responseUid)}`);
    checkKind(review, invalid);
    const problem = patchProblem(patch, patchType, mayPatch);
    if (problem !== undefined) throw invalid(problem);
  }
  return {
    isAllowed: valueAt(response, "allowed") === true,
    patch: mayPatch ? Buffer.from(patch, "base64").toString("utf8") : "",
    patchType: version === "v1beta1" ? "JSONPatch" : textAt(response, "patchType"),
    result: valueAt(response, "status"),
    warnings: listAt(response, "warnings").map(String),
  };
}

function patchProblem(patch: string, patchType: unknown, mayPatch: boolean): string | undefined {
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

/**
 * Parses the body of a response. Like the real server, accepts YAML, and accepts an object without a kind as an
 * AdmissionReview.
 */
function parseBody(text: string): unknown {
  const problem = limitProblem(text, "AdmissionReview");
  if (problem !== undefined) throw new WebhookCallError(parseErrorText(problem));
  try {
    const { value } = text.trimStart().startsWith("{") ? readJson(text) : readYaml(text);
    if (!isRecord(value) || isList(value)) {
      throw new WebhookCallError(
        parseErrorText(`json: cannot unmarshal ${typeName(value)} into Go value of type ${goStruct}`),
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
    throw new WebhookCallError(parseErrorText(error.message), { cause: error });
  }
}

function parseErrorText(why: string): string {
  return `failed to call webhook: couldn't get version/kind; json parse error: ${why}`;
}

function typeName(value: unknown): string {
  if (isList(value)) return "array";
  return typeof value === "bigint" ? "number" : typeof value === "boolean" ? "bool" : typeof value;
}

/**
 * Returns the refusal of a webhook with the message and code it sent. The code is at least 400, so that a refusal never
 * looks like success.
 */
export function deniedStatus(name: string, result: unknown): StatusError {
  const who = `admission webhook ${quote(name)} denied the request`;
  const [message, reason] = [textAt(result, "message"), textAt(result, "reason")];
  const why = message === "" ? reason : message;
  const code = numberAt(result, "code");
  const details = valueAt(result, "details");
  return new StatusError(
    withContinueToken(
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

function withContinueToken(status: ServerStatus, result: unknown): ServerStatus {
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
