import { type Clock, type JsonRecord, once } from "@homeostat/core";
import type { AdmissionRequest } from "../../admission/admission.ts";
import type { FieldManager } from "../../apply/field-manager.ts";
import { managedFieldsOf, withManagedFields, withoutManagedFields } from "../../apply/object-managed-fields.ts";
import { scaleManagers } from "../../apply/scale-managers.ts";
import { type AuthorizedRequest, callOf } from "../../handlers/context.ts";
import { readSentObject } from "../../handlers/read-object.ts";
import type { SpecialEndpoint } from "../../handlers/special-endpoints.ts";
import { type HandlerResponse, headerOf } from "../../http/handler.ts";
import { readPatchType } from "../../patch/patch-request.ts";
import { apiVersionOf, type Call, resourceOf } from "../../registry/call.ts";
import type { RegistryContext, RegistryWriteOptions } from "../../registry/context.ts";
import { apiObject } from "../../registry/api-object.ts";
import type { ServedKind } from "../../resources/served-kind.ts";
import { applySource, patchSource, putSource } from "../../registry/update-sources.ts";
import { type UpdateSource, updateObject } from "../../registry/update-object.ts";
import { decodeGetOptions, decodePatchOptions, decodeUpdateOptions } from "../../request/write-options.ts";
import { notFoundStatus } from "../../status/refusals.ts";
import { StatusError } from "../../status/status.ts";
import { unstoredManager } from "../../endpoints/unstored-kind.ts";
import { checkScale, scaleViewOf, type ScaleView } from "./scale.ts";
import { plainObjectResponse } from "../../endpoints/posted-object.ts";

const scaleRef = { group: "autoscaling", version: "v1", kind: "Scale" };

/** Returns the `scale` endpoint, which serves every kind that has the subresource. */
export function scaleEndpoint(clock: Pick<Clock, "now">): SpecialEndpoint {
  const manager = once(() =>
    unstoredManager(scaleRef, { subresource: "scale", clock, empty: { spec: {}, status: { replicas: 0 } } }),
  );
  return {
    group: "*",
    resource: "*",
    subresource: "scale",
    handle: async (authorized) => {
      const { request, parts } = authorized;
      const { group, version, resource, verb } = request.info;
      const kind = parts.kinds.find(group, version, resource);
      const view = kind === undefined ? undefined : scaleViewOf(kind);
      if (kind === undefined || view === undefined) return undefined;
      const call = callOf(authorized, kind);
      if (verb === "get") return handleGet(authorized, call, view);
      const own = kind.resource.isCustom ? kind.fieldManager("scale") : manager();
      return handleWrite(authorized, { call, view, manager: own });
    },
  };
}

async function handleGet(authorized: AuthorizedRequest, call: Call, view: ScaleView): Promise<HandlerResponse> {
  const { registry } = authorized.parts;
  const entry = await registry.read(call, decodeGetOptions(authorized.request.query));
  const object = await call.kind.fromStored(registry.context.store.read(entry));
  return plainObjectResponse(authorized, 200, view.scaleOf(object));
}

interface ScaleWrite {
  readonly call: Call;
  readonly view: ScaleView;
  readonly manager: FieldManager;
}

async function handleWrite(authorized: AuthorizedRequest, write: ScaleWrite): Promise<HandlerResponse> {
  const { call, view } = write;
  const { context: home } = authorized.parts.registry;
  const update = await scaleSource(authorized, write);
  const source = updateThroughScale(write, update, home);
  const written = await updateObject(
    { ...home, admission: admissionOfScale(home, call, view) },
    { ...call, subresource: "" },
    source,
    update.writeOptions,
  );
  const object = await call.kind.fromStored(written.stored);
  return plainObjectResponse(authorized, 200, view.scaleOf(object));
}

interface ScaleUpdate {
  readonly source: UpdateSource;
  readonly writeOptions: RegistryWriteOptions;
}

/** Reads the update source of a Scale from a PUT, patch or apply request. */
async function scaleSource(authorized: AuthorizedRequest, { call, manager }: ScaleWrite): Promise<ScaleUpdate> {
  const { request } = authorized;
  const scaleCall = { ...call, kind: scaleKind(call.kind, manager) };
  const options = request.info.verb === "update" ? "UpdateOptions" : "PatchOptions";
  const writeOptions = (queryOptions: {
    dryRun: boolean;
    fieldManager: string;
    fieldValidation: string;
    force?: boolean | undefined;
  }) => ({
    isDryRun: queryOptions.dryRun,
    fieldManager: queryOptions.fieldManager,
    options: {
      kind: options,
      apiVersion: "meta.k8s.io/v1",
      ...(queryOptions.dryRun ? { dryRun: ["All"] } : {}),
      ...(queryOptions.force === undefined ? {} : { force: queryOptions.force }),
      ...(queryOptions.fieldManager === "" ? {} : { fieldManager: queryOptions.fieldManager }),
      ...(queryOptions.fieldValidation === "" ? {} : { fieldValidation: queryOptions.fieldValidation }),
    },
  });
  if (options === "UpdateOptions") {
    const queryOptions = decodeUpdateOptions(request.query);
    const sent = await readSentObject(request, scaleCall, queryOptions);
    return { source: putSource(scaleCall, sent, queryOptions.fieldManager), writeOptions: writeOptions(queryOptions) };
  }
  const type = readPatchType(headerOf(request.headers, "content-type") ?? "", call.kind.resource);
  const body = await request.body();
  const isApply = type === "application/apply-patch+yaml";
  const queryOptions = decodePatchOptions(request.query, { isApply });
  const { fieldValidation, fieldManager, force = false } = queryOptions;
  const source = isApply
    ? applySource(scaleCall, { body, fieldValidation, fieldManager, force })
    : patchSource(scaleCall, { type, body, fieldValidation, fieldManager });
  return { source, writeOptions: writeOptions(queryOptions) };
}

/** Returns the kind with Scale in place of its own type, so that request bodies are read as a Scale. */
function scaleKind(kind: ServedKind, manager: FieldManager): ServedKind {
  const { withConversions: _, ...rest } = kind;
  return {
    ...rest,
    resource: { ...kind.resource, ...scaleRef, isCustom: false },
    complete: (object) => ({ object, strictErrors: [] }),
    fieldManager: () => manager,
  };
}

/**
 * Returns a source that updates the object through its Scale: shows the stored object as a Scale, applies the request and mutating
 * admission to that, and writes the resulting replicas back. Managed fields are mapped between the two in both directions.
 */
function updateThroughScale(
  { call, view }: ScaleWrite,
  { source, writeOptions }: ScaleUpdate,
  home: RegistryContext,
): UpdateSource {
  const resource = resourceOf(call);
  return {
    ...(source.uid === undefined ? {} : { uid: source.uid }),
    creates: false,
    make: async (old) => {
      if (old === undefined) throw new StatusError(notFoundStatus(resource, call.name));
      const managers = scaleManagers(managedFieldsOf(old), apiVersionOf(call.kind), view.paths);
      const before = apiObject(withManagedFields(view.scaleBefore(old), managers.toScale()));
      const made = await source.make(before);
      const request = scaleRequest(call, writeOptions, { object: made, oldObject: before });
      const wanted = (await home.admission.mutate(request)) ?? made;
      if (view.isChecked) checkScale(wanted, old, resource);
      const object = view.withScale(withoutManagedFields(old), withoutManagedFields(wanted));
      return apiObject(withManagedFields(object, managers.toObject(managedFieldsOf(wanted))));
    },
  };
}

function scaleRequest(
  { kind, namespace, name, user, signal, warn }: Call,
  { isDryRun, options }: RegistryWriteOptions,
  objects: { readonly object: JsonRecord; readonly oldObject: JsonRecord },
): AdmissionRequest {
  return {
    operation: "UPDATE",
    kind,
    subresource: "scale",
    namespace,
    name,
    options,
    user,
    isDryRun,
    signal,
    warn,
    ...objects,
  };
}

/**
 * Returns the admission for the update of the scaled object. Validating steps see the Scale. Mutating steps are skipped, because
 * {@link updateThroughScale} has already run them on the Scale.
 */
function admissionOfScale({ admission }: RegistryContext, call: Call, view: ScaleView): RegistryContext["admission"] {
  return {
    mutate: async () => undefined,
    finish: ({ object }) => object,
    validate: (request) => {
      const { object, oldObject } = request;
      const scaled = {
        ...request,
        subresource: "scale",
        object: object === undefined ? undefined : view.scaleOf(object),
        oldObject: oldObject === undefined ? undefined : view.scaleBefore(oldObject),
        kind: call.kind,
      };
      return admission.validate(scaled);
    },
    atWrite: () => undefined,
  };
}
