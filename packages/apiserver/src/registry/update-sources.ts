// Sources of the new object of an update request: the whole object (PUT), a patch, or an apply configuration.

import { quote } from "@homeostat/cel";
import type { JsonRecord } from "@homeostat/core";
import type { ApplyFailure } from "../apply/applied.ts";
import { managerName } from "../apply/manager-name.ts";
import type { FieldStrictness } from "../codec/request-body.ts";
import { patchObject, type PatchRequest, readApplyBody } from "../patch/patch-request.ts";
import {
  applyConflictStatus,
  badRequestStatus,
  conflictStatus,
  invalidStatus,
  notFoundStatus,
  unknownErrorStatus,
} from "../status/refusals.ts";
import { type ServerStatus, StatusError } from "../status/status.ts";
import { checkName, inNamespace } from "./admit.ts";
import { textAt } from "../values/fields.ts";
import { apiVersionOf, type Call, groupKindOf, resourceOf, withManager } from "./call.ts";
import { apiObject, type ApiObject, withMeta } from "./api-object.ts";
import { withoutDuplicateOwners } from "./owner-references.ts";
import type { CompletedObject } from "../resources/served-kind.ts";
import type { UpdateSource } from "./update-object.ts";

/** Builds the source of a PUT: the whole object, decoded and completed. */
export function putSource(call: Call, sent: JsonRecord, fieldManager: string): UpdateSource {
  const read = inNamespace(call, apiObject(sent));
  checkName(call, read);
  const object = withMeta(read, withoutDuplicateOwners(read.metadata, { warn: call.warn, isAdmitted: false }));
  const { uid = "" } = object.metadata;
  const manager = managerName(fieldManager, call.userAgent);
  return {
    ...(uid === "" ? {} : { uid }),
    creates: false,
    make: (old) => managed(call, object, old, manager),
  };
}

async function managed(call: Call, object: ApiObject, old: ApiObject | undefined, manager: string): Promise<ApiObject> {
  return apiObject(await withManager(call, (fields) => fields.update({ live: old, object, manager })));
}

/** Body and options of a patch request. */
export interface PatchInput {
  readonly type: PatchRequest["type"];
  readonly body: Uint8Array;
  readonly fieldValidation: FieldStrictness;
  readonly fieldManager: string;
}

/** Builds the source of a JSON, merge or strategic merge patch. */
export function patchSource(call: Call, input: PatchInput): UpdateSource {
  const { kind } = call;
  const { type, body, fieldValidation } = input;
  const manager = managerName(input.fieldManager, call.userAgent);
  const { isCustom } = kind.resource;
  const expected = { apiVersion: apiVersionOf(kind), kind: kind.resource.kind };
  return {
    creates: false,
    make: (old) => {
      if (old === undefined) throw new StatusError(notFoundStatus(resourceOf(call), call.name));
      const complete = (sent: JsonRecord): CompletedObject => kind.complete(sent, fieldValidation);
      const patched = patchObject({ type, body, current: old, expected, isCustom, fieldValidation, complete });
      for (const text of patched.warnings) call.warn(text);
      call.emptyPaths?.clear();
      for (const path of patched.emptyPaths) call.emptyPaths?.add(path);
      const object = inNamespace(call, apiObject(patched.object));
      checkName(call, object);
      if (isCustom) checkVersion(call, object, expected.apiVersion);
      return managed(call, object, old, manager);
    },
  };
}

/** Throws a `StatusError` (422) when a patch changed the `apiVersion` of a custom resource to another one than its endpoint serves. */
function checkVersion(call: Call, object: ApiObject, expected: string): void {
  const sent = textAt(object, "apiVersion");
  if (sent === expected) return;
  const detail = `must be ${expected}`;
  const message = `Invalid value: ${quote(sent)}: ${detail}`;
  const problem = { path: "apiVersion", type: "Invalid", value: sent, detail, message } as const;
  throw new StatusError(invalidStatus(groupKindOf(call), call.name, [problem]));
}

/** Body and options of a server-side apply request. */
export interface ApplyInput {
  readonly body: Uint8Array;
  readonly fieldValidation: FieldStrictness;
  readonly fieldManager: string;
  readonly force: boolean;
}

/** Builds the source of a server-side apply. */
export function applySource(call: Call, { body, fieldValidation, fieldManager, force }: ApplyInput): UpdateSource {
  const { object: config, warnings } = readApplyBody(body, fieldValidation);
  for (const text of warnings) call.warn(text);
  return {
    // Applying to a subresource cannot create the object.
    creates: call.subresource === "",
    make: async (old) => {
      const applied = await withManager(call, (fields) =>
        fields.apply({ live: old, config, manager: fieldManager, force }),
      );
      if (applied.failure !== undefined) throw new StatusError(failureStatus(applied.failure));
      const object = apiObject(applied.object);
      const { uid = "" } = object.metadata;
      if (old === undefined && uid !== "") {
        const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
        throw new StatusError(conflictStatus(resourceOf(call), call.name, why));
      }
      const placed = inNamespace(call, object);
      checkName(call, placed);
      return placed;
    },
  };
}

function failureStatus({ code, message, causes }: ApplyFailure): ServerStatus {
  switch (code) {
    case 400:
      return badRequestStatus(message);
    case 409:
      return applyConflictStatus(causes, message);
    case 500:
      return unknownErrorStatus(message);
  }
}
