import type { JsonRecord } from "@homeostat/core";
import type { Authorizer } from "../../auth/attributes.ts";
import type { ServedKind } from "../../resources/served-kind.ts";
import { StatusError } from "../../status/status.ts";
import { listAt } from "../../values/fields.ts";
import type { AdmissionRequest, AdmissionStep } from "../../admission/admission.ts";
import type { EvaluationSubject } from "../../admission/cel/environment.ts";
import type { ClusterReader } from "../../admission/cluster-reader.ts";
import { forbid } from "../../admission/forbid.ts";
import { objectsInVersion } from "../../admission/webhooks/dispatch.ts";
import { BoundPolicies, type BoundTools } from "./bound-policies.ts";
import { type Denial, denialsOf, withParams } from "./evaluate.ts";
import { type Policy, compilePolicy } from "./policy.ts";

/** Options of {@link validatingPolicies}. */
export interface PolicyOptions extends BoundTools {
  readonly authorizer: Authorizer;
}

const codes: ReadonlyMap<string, number> = new Map([
  ["Forbidden", 403],
  ["Unauthorized", 401],
  ["RequestEntityTooLarge", 413],
  ["Invalid", 422],
]);

/** Returns the step that enforces the bound ValidatingAdmissionPolicies: it refuses requests or warns. */
export function validatingPolicies(options: PolicyOptions): AdmissionStep {
  const resources = { policies: "validatingadmissionpolicies", bindings: "validatingadmissionpolicybindings" };
  const policies = new BoundPolicies(options, resources, compilePolicy);
  return {
    name: "ValidatingAdmissionPolicy",
    validate: (request) => (policies.noneCanApply(request) ? undefined : check(request, options, policies)),
  };
}

/** A refusal with the policy and binding that caused it. */
interface Refusal extends Denial {
  readonly policy: string;
  /** Empty if the problem is in the policy itself. */
  readonly binding: string;
}

async function check(
  request: AdmissionRequest,
  options: PolicyOptions,
  policies: BoundPolicies<Policy>,
): Promise<void> {
  const refusals: Refusal[] = [];
  for (const bound of await policies.of(request)) {
    const { policy, bindingName } = bound;
    if ("problem" in bound) {
      const refusal = { policy: policy.name, binding: bindingName, message: bound.problem, reason: "" };
      if (!policy.isFailureIgnored) refusals.push(refusal);
      continue;
    }
    const subject = await policySubject(request, bound.kind, options.reader);
    const denials = denialsOf(policy, withParams(subject, bound.params), options);
    refusals.push(...enforce(request, { policy, binding: bound.binding, bindingName, denials }));
  }
  const [first] = refusals;
  if (first !== undefined) throw refusalStatus(request, first);
}

/** Returns the data that the expressions of a policy see of a request. */
export async function policySubject(
  request: AdmissionRequest,
  kind: ServedKind,
  reader: ClusterReader,
): Promise<EvaluationSubject> {
  const { namespace: name } = request;
  const namespace = name === "" ? undefined : reader.get({ group: "", resource: "namespaces", namespace: "", name });
  return { request, kind, ...(await objectsInVersion(request, kind)), namespace };
}

/**
 * Performs the actions of a binding for its denials: adds warnings and returns the refusals. `Audit` has no effect,
 * because there is no audit log.
 */
function enforce(
  request: AdmissionRequest,
  {
    policy,
    binding,
    bindingName,
    denials,
  }: { policy: Policy; binding: JsonRecord; bindingName: string; denials: readonly Denial[] },
): Refusal[] {
  const actions = listAt(binding, "spec", "validationActions").map(String);
  const refusals: Refusal[] = [];
  for (const denial of denials) {
    for (const action of actions) {
      if (action === "Deny") refusals.push({ ...denial, policy: policy.name, binding: bindingName });
      if (action !== "Warn") continue;
      const who = `ValidatingAdmissionPolicy '${policy.name}' with binding '${bindingName}'`;
      request.warn(`Validation failed for ${who}: ${denial.message}`);
    }
  }
  return refusals;
}

function refusalStatus(request: AdmissionRequest, { policy, binding, message, reason }: Refusal): StatusError {
  const by = binding === "" ? "" : ` with binding '${binding}'`;
  const text = `ValidatingAdmissionPolicy '${policy}'${by} denied request: ${message}`;
  const { status } = forbid(request, text);
  const given = reason === "" ? "Invalid" : reason;
  const causes = [{ message: text }];
  return new StatusError({
    ...status,
    reason: given,
    details: { ...status.details, causes },
    code: codes.get(given) ?? 422,
  });
}
