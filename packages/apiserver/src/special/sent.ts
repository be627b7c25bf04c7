// What the endpoints of objects that are not stored have in common: reading what was sent, admission, answering.

import { quote } from "@homeostat/cel";
import { isRecord, type JsonRecord } from "@homeostat/core";
import type { AdmissionRequest } from "../admission/admission.ts";
import { managerName } from "../apply/manager-name.ts";
import { managedFieldsOf } from "../apply/object-managed-fields.ts";
import { plainOffer } from "../codec/media-types.ts";
import { readRequestBody, strictText } from "../codec/request-body.ts";
import type { Admitted } from "../handlers/context.ts";
import { answerWith, formOf } from "../handlers/form.ts";
import { type Answer, headerOf } from "../http/handler.ts";
import type { ServedKind } from "../registry/served-kind.ts";
import { badRequest } from "../request/option-problem.ts";
import { decodeCreateOptions } from "../request/write-options.ts";
import { answeredManager } from "./answered-kind.ts";

/** An object that was sent to be acted on. */
export interface Sent {
  /** After the changing steps of admission. */
  readonly object: JsonRecord;
  readonly isDryRun: boolean;
  /** Lets admission look at it, or at what was made of it. */
  readonly validate: (made?: JsonRecord) => Promise<void>;
  /** Its `managedFields`, as an answer shows them. */
  readonly managedFields: unknown;
}

/** The kind of what is sent to an endpoint: that of the resource, or of one of its parts. */
function sentKind({ resource }: ServedKind, subresource: string): { group: string; version: string; kind: string } {
  const part = resource.subresources.find(({ name }) => name === subresource);
  if (part === undefined) return resource;
  const isOther = part.version !== "";
  return {
    group: isOther ? part.group : resource.group,
    version: isOther ? part.version : resource.version,
    kind: part.kind,
  };
}

/** Reads what was sent to be created and takes it through the changing steps of admission. */
export async function readSent(admitted: Admitted, kind: ServedKind): Promise<Sent> {
  const { request, user, signal, warn, parts } = admitted;
  const { namespace, name, subresource } = request.info;
  const options = decodeCreateOptions(request.query);
  const gvk = sentKind(kind, subresource);
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
    const told = `${gvk.kind} in version ${quote(gvk.version)} cannot be handled as a ${gvk.kind}`;
    throw badRequest(`${told}: ${strictText(read.warnings)}`);
  }
  for (const text of read.warnings) warn(text);
  const manager = managerName(options.fieldManager, headerOf(request.headers, "user-agent") ?? "");
  const sent = inNamespace(kind, namespace, read.object);
  const managed = answeredManager(gvk, { subresource, clock: parts.clock }).update({
    live: undefined,
    object: sent,
    manager,
  });
  const { admission } = parts.registry.home;
  const asking: AdmissionRequest = {
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
  const object = (await admission.mutate(asking)) ?? managed;
  return {
    object,
    isDryRun: options.dryRun,
    validate: (made = object) => admission.validate({ ...asking, object: made }),
    managedFields: managedFieldsOf(object),
  };
}

function nameOf(object: JsonRecord): string {
  const { metadata } = object;
  return isRecord(metadata) && typeof metadata["name"] === "string" ? metadata["name"] : "";
}

/** The object in the namespace of its request. Throws a `StatusError` (400) when it says that it is in another. */
function inNamespace({ resource }: ServedKind, namespace: string, object: JsonRecord): JsonRecord {
  if (resource.scope !== "Namespaced") return object;
  const metadata = isRecord(object["metadata"]) ? object["metadata"] : {};
  const said = metadata["namespace"] ?? "";
  if (said === namespace) return object;
  if (said === "") return { ...object, metadata: { ...metadata, namespace } };
  throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
}

/** An object as the answer to a request, in the form that was asked for. */
export function shownObject({ request }: Admitted, status: number, object: JsonRecord): Answer {
  return answerWith(status, object, formOf(request, plainOffer, { isRouted: true }));
}
