import type { DeepReadonly } from "@homeostat/core";
import { formatProblem } from "@homeostat/schema";
import type { Tenant } from "../api/tenant.ts";
import type { TenantSettings } from "../settings/settings.ts";
import { changeProblems, policyProblems } from "./policy.ts";
import type { Problem } from "./problem.ts";
import { schemaProblems } from "./schema.ts";
import { structuralProblems } from "./structural.ts";
import { tenantWarnings, type TenantWarning } from "./warnings.ts";

/** What admission makes of a tenant. */
export interface Judgement {
  /** What it is refused for; empty when it is allowed. */
  readonly problems: readonly Problem[];
  readonly warnings: readonly TenantWarning[];
}

/**
 * What admission makes of a tenant that is created, or that is to take the place of `old`.
 *
 * One that is being deleted is always allowed, as its finalizer has to go. What was wrong before and still is in the
 * same way is a warning: otherwise a rule that is new would lock up what is there.
 */
export function judge(
  tenant: DeepReadonly<Tenant>,
  { old, settings }: { readonly old?: DeepReadonly<Tenant> | undefined; readonly settings: TenantSettings },
): Judgement {
  if (isDeleting(tenant) || (old !== undefined && isDeleting(old))) return { problems: [], warnings: [] };
  const known = new Set((old === undefined ? [] : standing(old, settings)).map(formatProblem));
  const all = standing(tenant, settings);
  const isShaped = old !== undefined && [tenant, old].every((each) => !schemaProblems(each).isMisshapen);
  const isKnown = (problem: Problem): boolean => known.has(formatProblem(problem));
  return {
    problems: [...all.filter((problem) => !isKnown(problem)), ...(isShaped ? changeProblems(tenant, old) : [])],
    warnings: [
      ...all.filter(isKnown).map(({ path, message }) => ({ path, message: `${message} (as before)` })),
      ...(structuralProblems(tenant, settings).length === 0 ? tenantWarnings(tenant, settings) : []),
    ],
  };
}

/** What is wrong with a tenant whatever it was before. */
function standing(tenant: DeepReadonly<Tenant>, settings: TenantSettings): readonly Problem[] {
  const structural = structuralProblems(tenant, settings);
  // Amounts that cannot be read cannot be added up, so policy is for tenants that can be made.
  return structural.length > 0 ? structural : policyProblems(tenant, settings);
}

function isDeleting({ metadata }: DeepReadonly<Tenant>): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.deletionTimestamp !== null;
}
