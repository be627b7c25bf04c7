import {
  type AdmissionContext,
  AdmissionDeniedError,
  type AdmissionWebhook,
  type DeepReadonly,
  type Finding,
  validatingWebhook,
} from "homeostat";
import type { Namespace } from "@homeostat/kubernetes/core/v1";
import { nextTurn } from "@homeostat/core";
import { findingOf, invalidMessage } from "@homeostat/webhook";
import { annotations } from "../api/identity.ts";
import { namespaceConflict, namespaceOf } from "../api/names.ts";
import { Tenant } from "../api/tenant.ts";
import type { TenantSettings } from "../settings/settings.ts";
import { schemaProblems } from "../validation/structural.ts";
import { validateTenant } from "../validation/validate.ts";

/** Reads a namespace from the API server, not from a cache. */
export type ReadNamespace = (name: string, signal: AbortSignal) => Promise<DeepReadonly<Namespace> | undefined>;

/** The denial of deleting a protected tenant. */
export const protectedMessage = "tenant is protected from deletion; set spec.deletionProtection to false first";

export interface ValidatingOptions {
  readonly settings: () => TenantSettings;
  readonly readNamespace: ReadNamespace;
}

/** Builds the webhook that validates tenants and denies the deletion of protected ones. */
export function tenantWebhook(options: ValidatingOptions): AdmissionWebhook {
  return validatingWebhook({
    for: Tenant,
    name: "vtenant.kb.io",
    validate: (tenant, old, context) => findings(tenant, { old, context, ...options }),
    validateDelete(tenant) {
      if (tenant.spec.deletionProtection === true) throw new AdmissionDeniedError(protectedMessage);
      return [];
    },
    summary: (causes, { metadata }) => invalidMessage(Tenant, metadata.name ?? "", causes),
  });
}

async function* findings(
  tenant: DeepReadonly<Tenant>,
  {
    old,
    context,
    settings,
    readNamespace,
  }: ValidatingOptions & { readonly old: DeepReadonly<Tenant> | undefined; readonly context: AdmissionContext },
): AsyncIterable<Finding> {
  // Each object is checked in a turn of the event loop of its own; validateTenant reuses the verdicts.
  for (const each of old === undefined ? [tenant] : [old, tenant]) {
    schemaProblems(each);
    await nextTurn();
  }
  const { problems, warnings } = validateTenant(tenant, { old, settings: settings() });
  for (const problem of problems) yield findingOf(problem);
  for (const { path, message } of warnings) yield { field: path, message, warn: true };
  if (problems.length > 0 || context.operation !== "CREATE") return;
  const name = tenant.metadata.name ?? "";
  if (await isNamespaceTaken(name, readNamespace, context.signal)) {
    throw new AdmissionDeniedError(namespaceConflict(name), { code: 409, reason: "Conflict" });
  }
}

/** Reports whether the namespace of a new tenant exists and cannot be used. When it cannot be read, the controller decides. */
async function isNamespaceTaken(tenant: string, read: ReadNamespace, signal: AbortSignal): Promise<boolean> {
  let namespace: DeepReadonly<Namespace> | undefined;
  try {
    namespace = await read(namespaceOf(tenant), signal);
  } catch {
    return false;
  }
  const { deletionTimestamp, annotations: notes } = namespace?.metadata ?? {};
  return namespace !== undefined && deletionTimestamp === undefined && notes?.[annotations.allowAdoption] !== tenant;
}
