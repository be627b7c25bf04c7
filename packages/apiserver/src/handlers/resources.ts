// Endpoints of stored objects: one function per verb.

import type { JsonRecord } from "@homeostat/core";
import { resourceOffer } from "../codec/media-types.ts";
import { type Answer, headerOf } from "../http/handler.ts";
import { readPatchType } from "../patch/patch-request.ts";
import { type Call, resourceOf } from "../registry/call.ts";
import type { WriteChoice } from "../registry/home.ts";
import type { ServedKind } from "../registry/served-kind.ts";
import { applySource, patchSource, putSource } from "../registry/sources.ts";
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
import { type AnswerContext, includeOf, listAnswer, objectAnswer } from "./answers.ts";
import { type Admitted, callOf } from "./context.ts";
import { deleteOptionsOf, shownDeleteOptions, wishOf } from "./delete-options.ts";
import { answerWith, formOf } from "./form.ts";
import { readSentObject, type ReadOptions } from "./read-object.ts";
import { answerWatch } from "./watch.ts";

/** Handles a request for stored objects. Throws the same `StatusError` as kube-apiserver. */
export async function answerResource(admitted: Admitted, kind: ServedKind): Promise<Answer> {
  const { verb } = admitted.request.info;
  const call = callOf(admitted, kind);
  if (kind.deprecationWarning !== undefined) admitted.warn(kind.deprecationWarning);
  switch (verb) {
    case "get":
      return answerGet(admitted, call);
    case "list":
      return answerList(admitted, call);
    case "watch":
      return answerWatch(admitted, call);
    case "create":
      return answerCreate(admitted, call);
    case "update":
      return answerUpdate(admitted, call);
    case "patch":
      return answerPatch(admitted, call);
    case "delete":
      return answerDelete(admitted, call);
    case "deletecollection":
      return answerDeleteMany(admitted, call);
    default:
      throw new StatusError(methodUnknownStatus());
  }
}

/** Negotiates the form of the response to a request about a kind. */
export function contextOf({ request, parts }: Admitted, kind: ServedKind): AnswerContext {
  const { isCustom } = kind.resource;
  const form = formOf(request, resourceOffer({ isCustom }), { isRouted: !isCustom });
  return { kind, form, nowMs: parts.clock.now(), include: includeOf(request.query, form) };
}

async function answerGet(admitted: Admitted, call: Call): Promise<Answer> {
  const { registry } = admitted.parts;
  const context = contextOf(admitted, call.kind);
  const entry = await registry.read(call, decodeGetOptions(admitted.request.query));
  return objectAnswer(context, { stored: registry.home.store.read(entry), entry }, 200);
}

async function answerList(admitted: Admitted, call: Call): Promise<Answer> {
  const { registry } = admitted.parts;
  const context = contextOf(admitted, call.kind);
  const options = decodeListOptions(admitted.request.query);
  // `info.name` holds the name of a field selector, for authorization only. The registry evaluates the selector itself.
  const listed = await registry.readMany({ ...call, name: "" }, options);
  const { store } = registry.home;
  const shown = listed.entries.map((entry) => ({
    get stored() {
      return store.read(entry);
    },
    entry,
  }));
  return listAnswer(context, listed, shown);
}

function choiceOf(kind: string, { dryRun, fieldManager, fieldValidation }: WriteOptions & PatchOptions): WriteChoice {
  const options: JsonRecord = {
    kind,
    apiVersion: "meta.k8s.io/v1",
    ...(dryRun ? { dryRun: ["All"] } : {}),
    ...(fieldManager === "" ? {} : { fieldManager }),
    ...(fieldValidation === "" ? {} : { fieldValidation }),
  };
  return { isDryRun: dryRun, fieldManager, options };
}

function readOptions({ parts }: Admitted, { kind }: Call, { fieldValidation }: WriteOptions): ReadOptions {
  const { group, plural } = kind.resource;
  return { fieldValidation, inVersion: (version) => parts.kinds.find(group, version, plural) };
}

async function answerCreate(admitted: Admitted, call: Call): Promise<Answer> {
  const { request, parts } = admitted;
  const context = contextOf(admitted, call.kind);
  const options = decodeCreateOptions(request.query);
  const object = await readSentObject(request, call, readOptions(admitted, call, options));
  const named = { ...call, name: textAt(object, "metadata", "name") };
  const written = await parts.registry.create(named, object, choiceOf("CreateOptions", options));
  return objectAnswer(context, written, 201);
}

async function answerUpdate(admitted: Admitted, call: Call): Promise<Answer> {
  const { request, parts } = admitted;
  const context = contextOf(admitted, call.kind);
  const options = decodeUpdateOptions(request.query);
  const object = await readSentObject(request, call, readOptions(admitted, call, options));
  const source = putSource(call, object, options.fieldManager);
  const written = await parts.registry.update(call, source, choiceOf("UpdateOptions", options));
  return objectAnswer(context, written, written.outcome === "created" ? 201 : 200);
}

async function answerPatch(admitted: Admitted, call: Call): Promise<Answer> {
  const { request, parts } = admitted;
  const type = readPatchType(headerOf(request.headers, "content-type") ?? "", call.kind.resource);
  const context = contextOf(admitted, call.kind);
  const isApply = type === "application/apply-patch+yaml";
  const body = await request.body();
  const options = decodePatchOptions(request.query, { isApply });
  const { fieldValidation, fieldManager, force = false } = options;
  const source = isApply
    ? applySource(call, { body, fieldValidation, fieldManager, force })
    : patchSource(call, { type, body, fieldValidation, fieldManager });
  const choice = choiceOf("PatchOptions", options);
  const shown = options.force === undefined ? choice.options : { ...choice.options, force: options.force };
  const written = await parts.registry.update(call, source, { ...choice, options: shown });
  return objectAnswer(context, written, written.outcome === "created" ? 201 : 200);
}

async function answerDelete(admitted: Admitted, call: Call): Promise<Answer> {
  const { request, parts } = admitted;
  const context = contextOf(admitted, call.kind);
  const options = await deleteOptionsOf(request);
  const choice = { isDryRun: options.dryRun, options: shownDeleteOptions(options) };
  const removed = await parts.registry.delete(call, wishOf(options), choice);
  const isLater = removed.outcome !== "gone" && options.orphanDependents === false;
  const status = isLater ? 202 : 200;
  if (removed.outcome !== "gone" || call.kind.traits.returnsDeletedObject)
    return objectAnswer(context, removed, status);
  const { group, resource } = resourceOf(call);
  const uid = textAt(removed.stored, "metadata", "uid");
  const told = deleted({ name: call.name, group, kind: resource, uid });
  return answerWith(status, { ...told }, { ...context.form, mediaType: context.form.mediaType });
}

async function answerDeleteMany(admitted: Admitted, call: Call): Promise<Answer> {
  const { request, parts } = admitted;
  const context = contextOf(admitted, call.kind);
  const options = decodeListOptions(request.query);
  const deletion = await deleteOptionsOf(request);
  const choice = { isDryRun: deletion.dryRun, options: shownDeleteOptions(deletion) };
  const removed = await parts.registry.deleteMany({ ...call, name: "" }, { options, wish: wishOf(deletion), choice });
  return listAnswer(
    context,
    removed,
    removed.objects.map((stored) => ({ stored })),
  );
}
