import type { DeepReadonly } from "@homeostat/core";
import { causeReason } from "@homeostat/schema";
import {
  AdmissionDeniedError,
  type AdmissionContext,
  type AdmissionWebhook,
  type Cause,
  type CauseReason,
  type Finding,
  validatingWebhook,
} from "@homeostat/webhook";
import { group, kind } from "../api/identity.ts";
import { Tenant } from "../api/tenant.ts";
import type { TenantSettings } from "../settings/settings.ts";
import { listed, type Problem } from "../validation/problem.ts";
import { judge } from "../validation/validate.ts";
import { foreignNamespace, type ReadNamespace } from "./foreign-namespace.ts";

/** What the webhook says to who wants to delete a protected tenant. */
export const protectedMessage = "tenant is protected from deletion; set spec.deletionProtection to false first";

/** What the webhook needs beside the tenant. */
export interface ValidatingParts {
  readonly settings: TenantSettings;
  readonly readNamespace: ReadNamespace;
}

/** The webhook that refuses tenants which cannot be made or may not become what they are to be, and protects others. */
export function tenantWebhook({ settings, readNamespace }: ValidatingParts): AdmissionWebhook {
  return validatingWebhook({
    for: Tenant,
    name: "vtenant.kb.io",
    validate: (tenant, old, context) => findings(tenant, { old, context, settings, readNamespace }),
    validateDelete(tenant) {
      if (tenant.spec.deletionProtection === true) throw new AdmissionDeniedError(protectedMessage);
      return [];
    },
    summary: (causes, { metadata }) =>
      `${kind}.${group} "${metadata.name ?? ""}" is invalid: ${listed(causes.map(causeText))}`,
  });
}

async function* findings(
  tenant: DeepReadonly<Tenant>,
  {
    old,
    context,
    settings,
    readNamespace,
  }: ValidatingParts & { readonly old: DeepReadonly<Tenant> | undefined; readonly context: AdmissionContext },
): AsyncIterable<Finding> {
  const { problems, warnings } = judge(tenant, { old, settings });
  for (const problem of problems) yield asFinding(problem);
  for (const { path, message } of warnings) yield { field: path, message, warn: true };
  if (problems.length > 0 || context.operation !== "CREATE") return;
  const conflict = await foreignNamespace(tenant.metadata.name ?? "", { read: readNamespace, signal: context.signal });
  if (conflict !== undefined) throw new AdmissionDeniedError(conflict, { code: 409, reason: "Conflict" });
}

const causeReasons: ReadonlySet<string> = new Set<CauseReason>([
  "FieldValueInvalid",
  "FieldValueRequired",
  "FieldValueDuplicate",
  "FieldValueNotSupported",
  "FieldValueForbidden",
  "FieldValueNotFound",
  "FieldValueTooLong",
]);

function asFinding(problem: Problem): Finding {
  const reason = causeReason(problem);
  return {
    field: problem.path === "" ? "<nil>" : problem.path,
    message: problem.message,
    ...(isCauseReason(reason) && { reason }),
  };
}

function isCauseReason(text: string): text is CauseReason {
  return causeReasons.has(text);
}

function causeText({ field, message }: Cause): string {
  return field === undefined ? message : `${field}: ${message}`;
}
