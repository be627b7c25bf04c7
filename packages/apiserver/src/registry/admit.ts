import { apiObject, type ApiObject, withMeta } from "./object.ts";
import type { AdmissionOperation, AdmissionRequest } from "../admission/admission.ts";
import { badRequest } from "../request/option-problem.ts";
import type { Call } from "./call.ts";
import type { RegistryHome, WriteChoice } from "./home.ts";
import { withoutTwins } from "./owner-references.ts";

/** A write as admission sees it. */
export function admissionRequest(
  call: Call,
  choice: Pick<WriteChoice, "isDryRun" | "options">,
  {
    operation,
    object,
    old,
  }: {
    readonly operation: AdmissionOperation;
    readonly object: ApiObject | undefined;
    readonly old: ApiObject | undefined;
  },
): AdmissionRequest {
  const { kind, subresource, namespace, name, user, signal, warn } = call;
  const { isDryRun, options } = choice;
  return {
    operation,
    kind,
    subresource,
    namespace,
    name,
    object,
    oldObject: old,
    options,
    user,
    isDryRun,
    signal,
    warn,
  };
}

/** Lets admission change an object, and the guard of its kind look at what came out. */
export async function admitted(
  { admission, guard }: RegistryHome,
  { call, choice, object, old }: { call: Call; choice: WriteChoice; object: ApiObject; old: ApiObject | undefined },
): Promise<ApiObject> {
  const operation = old === undefined ? "CREATE" : "UPDATE";
  const changed = await admission.mutate(admissionRequest(call, choice, { operation, object, old }));
  const made = apiObject(changed ?? object);
  const single = withMeta(made, withoutTwins(made.metadata, { warn: call.warn, isAdmitted: true }));
  guard({ call, object: single, old });
  return single;
}

/** Lets the server set what only it sets: after the version of an update was found to be the stored one. */
export function finished(
  { admission }: Pick<RegistryHome, "admission">,
  { call, choice, object, old }: { call: Call; choice: WriteChoice; object: ApiObject; old: ApiObject | undefined },
): ApiObject {
  const operation = old === undefined ? "CREATE" : "UPDATE";
  const set = admission.finish(admissionRequest(call, choice, { operation, object, old }));
  return set === undefined || set === object ? object : apiObject(set);
}

/** The object in the namespace of its request. Throws a `StatusError` (400) when it says that it is in another. */
export function inNamespace(call: Pick<Call, "kind" | "namespace">, object: ApiObject): ApiObject {
  const { metadata } = object;
  const isNamespaced = call.kind.resource.scope === "Namespaced";
  const said = metadata.namespace ?? "";
  const wanted = isNamespaced ? call.namespace : "";
  if (said === wanted) return object;
  if (said === "") return withMeta(object, { ...metadata, namespace: wanted });
  // The server does not mind that an object without a namespace names one: it takes it away.
  if (!isNamespaced) {
    const { namespace: _, ...rest } = metadata;
    return withMeta(object, rest);
  }
  throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
}

/** Throws a `StatusError` (400) when an object says another name than its path. */
export function checkName({ name }: Pick<Call, "name">, { metadata }: ApiObject): void {
  const said = metadata.name ?? "";
  if (said === "")
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  if (said !== name) throw badRequest(`the name of the object (${said}) does not match the name on the URL (${name})`);
}
