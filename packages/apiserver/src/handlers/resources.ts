// Endpoints of stored objects: one function per verb.

import type { JsonRecord } from "@homeostat/core";
import { resourceOffer } from "../codec/media-types.ts";
import { type HandlerResponse, headerOf } from "../http/handler.ts";
import { readPatchType } from "../patch/patch-request.ts";
import { type Call, resourceOf } from "../registry/call.ts";
import type { RegistryWriteOptions } from "../registry/context.ts";
import type { ServedKind } from "../resources/served-kind.ts";
import { applySource, patchSource, putSource } from "../registry/update-sources.ts";
import { decodeListOptions } from "../request/list-options.ts";
import {
  decodeCreateOptions,
  decodeGetOptions,
  decodePatchOptions,
  decodeUpdateOptions,
  type PatchOptions,
  type WriteOptions,
} from "../request/write-options.ts";
import { methodUnknownStatus } from "../status/refusals.ts";
import { deleted, StatusError } from "../status/status.ts";
import { textAt } from "../values/fields.ts";
import { type ResponseContext, includeOf, listResponse, objectResponse } from "./responses.ts";
import { type AuthorizedRequest, callOf } from "./context.ts";
import { deleteOptionsOf, admissionDeleteOptions, deletionRequestOf } from "./delete-options.ts";
import { responseWith, formOf } from "./response-form.ts";
import { readSentObject, type ReadOptions } from "./read-object.ts";
import { handleWatch } from "./watch.ts";

/** Handles a request for stored objects. Throws the same `StatusError` as kube-apiserver. */
export async function handleResource(authorized: AuthorizedRequest, kind: ServedKind): Promise<HandlerResponse> {
  const { verb } = authorized.request.info;
  const call = callOf(authorized, kind);
  if (kind.deprecationWarning !== undefined) authorized.warn(kind.deprecationWarning);
  switch (verb) {
    case "get":
      return handleGet(authorized, call);
    case "list":
      return handleList(authorized, call);
    case "watch":
      return handleWatch(authorized, call);
    case "create":
      return handleCreate(authorized, call);
    case "update":
      return handleUpdate(authorized, call);
    case "patch":
      return handlePatch(authorized, call);
    case "delete":
      return handleDelete(authorized, call);
    case "deletecollection":
      return handleDeleteMany(authorized, call);
    default:
      throw new StatusError(methodUnknownStatus());
  }
}

/** Negotiates the form of the response to a request about a kind. */
export function contextOf({ request, parts }: AuthorizedRequest, kind: ServedKind): ResponseContext {
  const { isCustom } = kind.resource;
  const form = formOf(request, resourceOffer({ isCustom }), { isRouted: !isCustom });
  return { kind, form, nowMs: parts.clock.now(), include: includeOf(request.query, form) };
}

async function handleGet(authorized: AuthorizedRequest, call: Call): Promise<HandlerResponse> {
  const { registry } = authorized.parts;
  const context = contextOf(authorized, call.kind);
  const entry = await registry.read(call, decodeGetOptions(authorized.request.query));
  return objectResponse(context, { stored: registry.context.store.read(entry), entry }, 200);
}

async function handleList(authorized: AuthorizedRequest, call: Call): Promise<HandlerResponse> {
  const { registry } = authorized.parts;
  const context = contextOf(authorized, call.kind);
  const options = decodeListOptions(authorized.request.query);
  // `info.name` holds the name of a field selector, for authorization only. The registry evaluates the selector itself.
  const listed = await registry.readMany({ ...call, name: "" }, options);
  const { store } = registry.context;
  const shown = listed.entries.map((entry) => ({
    get stored() {
      return store.read(entry);
    },
    entry,
  }));
  return listResponse(context, listed, shown);
}

function writeOptionsOf(
  kind: string,
  { dryRun, fieldManager, fieldValidation }: WriteOptions & PatchOptions,
): RegistryWriteOptions {
  const options: JsonRecord = {
    kind,
    apiVersion: "meta.k8s.io/v1",
    ...(dryRun ? { dryRun: ["All"] } : {}),
    ...(fieldManager === "" ? {} : { fieldManager }),
    ...(fieldValidation === "" ? {} : { fieldValidation }),
  };
  return { isDryRun: dryRun, fieldManager, options };
}

function readOptions({ parts }: AuthorizedRequest, { kind }: Call, { fieldValidation }: WriteOptions): ReadOptions {
  const { group, plural } = kind.resource;
  return { fieldValidation, inVersion: (version) => parts.kinds.find(group, version, plural) };
}

async function handleCreate(authorized: AuthorizedRequest, call: Call): Promise<HandlerResponse> {
  const { request, parts } = authorized;
  const context = contextOf(authorized, call.kind);
  const options = decodeCreateOptions(request.query);
  const object = await readSentObject(request, call, readOptions(authorized, call, options));
  const named = { ...call, name: textAt(object, "metadata", "name") };
  const written = await parts.registry.create(named, object, writeOptionsOf("CreateOptions", options));
  return objectResponse(context, written, 201);
}

async function handleUpdate(authorized: AuthorizedRequest, call: Call): Promise<HandlerResponse> {
  const { request, parts } = authorized;
  const context = contextOf(authorized, call.kind);
  const options = decodeUpdateOptions(request.query);
  const object = await readSentObject(request, call, readOptions(authorized, call, options));
  const source = putSource(call, object, options.fieldManager);
  const written = await parts.registry.update(call, source, writeOptionsOf("UpdateOptions", options));
  return objectResponse(context, written, written.outcome === "created" ? 201 : 200);
}

async function handlePatch(authorized: AuthorizedRequest, call: Call): Promise<HandlerResponse> {
  const { request, parts } = authorized;
  const type = readPatchType(headerOf(request.headers, "content-type") ?? "", call.kind.resource);
  const context = contextOf(authorized, call.kind);
  const isApply = type === "application/apply-patch+yaml";
  const body = await request.body();
  const options = decodePatchOptions(request.query, { isApply });
  const { fieldValidation, fieldManager, force = false } = options;
  const source = isApply
    ? applySource(call, { body, fieldValidation, fieldManager, force })
    : patchSource(call, { type, body, fieldValidation, fieldManager });
  const writeOptions = writeOptionsOf("PatchOptions", options);
  const shown = options.force === undefined ? writeOptions.options : { ...writeOptions.options, force: options.force };
  const written = await parts.registry.update(call, source, { ...writeOptions, options: shown });
  return objectResponse(context, written, written.outcome === "created" ? 201 : 200);
}

async function handleDelete(authorized: AuthorizedRequest, call: Call): Promise<HandlerResponse> {
  const { request, parts } = authorized;
  const context = contextOf(authorized, call.kind);
  const options = await deleteOptionsOf(request);
  const writeOptions = { isDryRun: options.dryRun, options: admissionDeleteOptions(options) };
  const result = await parts.registry.delete(call, deletionRequestOf(options), writeOptions);
  const isLater = result.outcome !== "gone" && options.orphanDependents === false;
  const status = isLater ? 202 : 200;
  if (result.outcome !== "gone" || call.kind.traits.returnsDeletedObject)
    return objectResponse(context, result, status);
  const { group, resource } = resourceOf(call);
  const uid = textAt(result.stored, "metadata", "uid");
  const deletedStatus = deleted({ name: call.name, group, kind: resource, uid });
  return responseWith(status, { ...deletedStatus }, { ...context.form, mediaType: context.form.mediaType });
}

async function handleDeleteMany(authorized: AuthorizedRequest, call: Call): Promise<HandlerResponse> {
  const { request, parts } = authorized;
  const context = contextOf(authorized, call.kind);
  const options = decodeListOptions(request.query);
  const deletion = await deleteOptionsOf(request);
  const writeOptions = { isDryRun: deletion.dryRun, options: admissionDeleteOptions(deletion) };
  const result = await parts.registry.deleteMany(
    { ...call, name: "" },
    { options, deletion: deletionRequestOf(deletion), writeOptions },
  );
  return listResponse(
    context,
    result,
    result.objects.map((stored) => ({ stored })),
  );
}
