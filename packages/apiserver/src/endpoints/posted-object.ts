// Shared steps of endpoints whose objects are not stored: read the body, run admission, build the response.

import { quote } from "@homeostat/cel";
import { isRecord, type JsonRecord } from "@homeostat/core";
import type { AdmissionRequest } from "../admission/admission.ts";
import { managerName } from "../apply/manager-name.ts";
import { managedFieldsOf } from "../apply/object-managed-fields.ts";
import { plainOffer } from "../codec/media-types.ts";
import { readRequestBody, strictText } from "../codec/request-body.ts";
import type { AuthorizedRequest } from "../handlers/context.ts";
import { responseWith, formOf } from "../handlers/response-form.ts";
import { type HandlerResponse, headerOf } from "../http/handler.ts";
import type { ServedKind } from "../resources/served-kind.ts";
import { badRequest } from "../request/option-problem.ts";
import { decodeCreateOptions } from "../request/write-options.ts";
import { unstoredManager } from "./unstored-kind.ts";

/** An object that was POSTed to an endpoint which does not store it. */
export interface PostedObject {
  /** The object after mutating admission. */
  readonly object: JsonRecord;
  readonly isDryRun: boolean;
  /** Runs validating admission on the object, or on the one that the endpoint made of it. */
  readonly validate: (made?: JsonRecord) => Promise<void>;
  /** Its `managedFields`, for the response. */
  readonly managedFields: unknown;
}

/** Returns the type of the request body: the kind of the resource, or that of the subresource. */
function bodyKind({ resource }: ServedKind, subresource: string): { group: string; version: string; kind: string } {
  const part = resource.subresources.find(({ name }) => name === subresource);
  if (part === undefined) return resource;
  const isOther = part.version !== "";
  return {
    group: isOther ? part.group : resource.group,
    version: isOther ? part.version : resource.version,
    kind: part.kind,
  };
}

/** Reads the object of a POST and runs mutating admission. Throws the same `StatusError` as kube-apiserver. */
export async function readPosted(authorized: AuthorizedRequest, kind: ServedKind): Promise<PostedObject> {
  const { request, user, signal, warn, parts } = authorized;
  const { namespace, name, subresource } = request.info;
  const options = decodeCreateOptions(request.query);
  const gvk = bodyKind(kind, subresource);
  const apiVersion = gvk.group === "" ? gvk.version : `${gvk.group}/${gvk.version}`;
  const { fieldValidation } = options;
  const read = readRequestBody({
    body: await request.body(),
    contentType: headerOf(request.headers, "content-type") ?? "",
    expected: { apiVersion, kind: gvk.kind },
    isCustom: false,
    fieldValidation,
  });
  if (fieldValidation === "Strict" && read.warnings.length > 0) {
    const message = `${gvk.kind} in version ${quote(gvk.version)} cannot be handled as a ${gvk.kind}`;
    throw badRequest(`${message}: ${strictText(read.warnings)}`);
  }
  for (const text of read.warnings) warn(text);
  const manager = managerName(options.fieldManager, headerOf(request.headers, "user-agent") ?? "");
  const sent = inNamespace(kind, namespace, read.object);
  const managed = unstoredManager(gvk, { subresource, clock: parts.clock }).update({
    live: undefined,
    object: sent,
    manager,
  });
  const { admission } = parts.registry.context;
  const admissionRequest: AdmissionRequest = {
    operation: "CREATE",
    kind,
    subresource,
    namespace: kind.resource.scope === "Namespaced" ? namespace : "",
    name: name === "" ? nameOf(sent) : name,
    object: managed,
    oldObject: undefined,
    options: {
      kind: "CreateOptions",
      apiVersion: "meta.k8s.io/v1",
      ...(options.dryRun ? { dryRun: ["All"] } : {}),
      ...(options.fieldManager === "" ? {} : { fieldManager: options.fieldManager }),
      ...(fieldValidation === "" ? {} : { fieldValidation }),
    },
    user,
    isDryRun: options.dryRun,
    signal,
    warn,
  };
  const object = (await admission.mutate(admissionRequest)) ?? managed;
  return {
    object,
    isDryRun: options.dryRun,
    validate: (made = object) => admission.validate({ ...admissionRequest, object: made }),
    managedFields: managedFieldsOf(object),
  };
}

function nameOf(object: JsonRecord): string {
  const { metadata } = object;
  return isRecord(metadata) && typeof metadata["name"] === "string" ? metadata["name"] : "";
}

/** Returns the object with the namespace of the request. Throws a `StatusError` (400) when the body names another namespace. */
function inNamespace({ resource }: ServedKind, namespace: string, object: JsonRecord): JsonRecord {
  if (resource.scope !== "Namespaced") return object;
  const metadata = isRecord(object["metadata"]) ? object["metadata"] : {};
  const bodyNamespace = metadata["namespace"] ?? "";
  if (bodyNamespace === namespace) return object;
  if (bodyNamespace === "") return { ...object, metadata: { ...metadata, namespace } };
  throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
}

/** Builds the response with an object, in the form that the client accepts. */
export function plainObjectResponse(
  { request }: AuthorizedRequest,
  status: number,
  object: JsonRecord,
): HandlerResponse {
  return responseWith(status, object, formOf(request, plainOffer, { isRouted: true }));
}
