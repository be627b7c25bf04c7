import { apiObject, type ApiObject, withMeta } from "./api-object.ts";
import type { AdmissionOperation, AdmissionRequest } from "../admission/admission.ts";
import { badRequest } from "../request/option-problem.ts";
import type { Call } from "./call.ts";
import type { RegistryContext, RegistryWriteOptions } from "./context.ts";
import { withoutDuplicateOwners } from "./owner-references.ts";

/** Builds the admission request for a write. `object` is undefined for DELETE, `old` for CREATE. */
export function admissionRequest(
  call: Call,
  writeOptions: Pick<RegistryWriteOptions, "isDryRun" | "options">,
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
  const { isDryRun, options } = writeOptions;
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

/**
 * Runs mutating admission, then the escalation check (`RegistryHome.guard`) on its result: a webhook must not be able to add rights
 * that the user lacks. Returns the mutated object.
 */
export async function admit(
  { admission, checkEscalation }: RegistryContext,
  {
    call,
    writeOptions,
    object,
    old,
  }: { call: Call; writeOptions: RegistryWriteOptions; object: ApiObject; old: ApiObject | undefined },
): Promise<ApiObject> {
  const operation = old === undefined ? "CREATE" : "UPDATE";
  const changed = await admission.mutate(admissionRequest(call, writeOptions, { operation, object, old }));
  const admittedObject = apiObject(changed ?? object);
  const deduplicated = withMeta(
    admittedObject,
    withoutDuplicateOwners(admittedObject.metadata, { warn: call.warn, isAdmitted: true }),
  );
  checkEscalation({ call, object: deduplicated, old });
  return deduplicated;
}

/**
 * Sets the fields that the server fills in itself (`AdmissionChain.finish`). An update calls it after the `resourceVersion` check: a
 * request that ends in a conflict must allocate nothing.
 */
export function setServerFields(
  { admission }: Pick<RegistryContext, "admission">,
  {
    call,
    writeOptions,
    object,
    old,
  }: { call: Call; writeOptions: RegistryWriteOptions; object: ApiObject; old: ApiObject | undefined },
): ApiObject {
  const operation = old === undefined ? "CREATE" : "UPDATE";
  const set = admission.finish(admissionRequest(call, writeOptions, { operation, object, old }));
  return set === undefined || set === object ? object : apiObject(set);
}

/** Returns the object with the namespace of the request. Throws a `StatusError` (400) when the body names another namespace. */
export function inNamespace(call: Pick<Call, "kind" | "namespace">, object: ApiObject): ApiObject {
  const { metadata } = object;
  const isNamespaced = call.kind.resource.scope === "Namespaced";
  const sent = metadata.namespace ?? "";
  const expected = isNamespaced ? call.namespace : "";
  if (sent === expected) return object;
  if (sent === "") return withMeta(object, { ...metadata, namespace: expected });
  // kube-apiserver accepts a namespace on a cluster-scoped object and removes it.
  if (!isNamespaced) {
    const { namespace: _, ...rest } = metadata;
    return withMeta(object, rest);
  }
  throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
}

/** Throws a `StatusError` (400) when the name in the body is empty or differs from the name in the path. */
export function checkName({ name }: Pick<Call, "name">, { metadata }: ApiObject): void {
  const sent = metadata.name ?? "";
  if (sent === "")
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  if (sent !== name) throw badRequest(`the name of the object (${sent}) does not match the name on the URL (${name})`);
}
