import { isRecord, type JsonRecord } from "@homeostat/core";
import type { Authorizer } from "../../auth/attributes.ts";
import type { ServedKind } from "../../registry/served-kind.ts";
import { StatusError } from "../../status/status.ts";
import { isSet, listAt, textAt, valueAt } from "../../tables/read.ts";
import type { AdmissionRequest, AdmissionStep } from "../admission.ts";
import type { EvaluationSubject } from "../cel/environment.ts";
import { forbid, resourceOf } from "../forbid.ts";
import { isExempt, objectsAs } from "../webhooks/dispatch.ts";
import { type Denial, denialsOf, withParams } from "./evaluate.ts";
import { matchedPolicyKind, type MatchTools } from "./match-resources.ts";
import { type FindKind, paramsOf } from "./params.ts";
import { matchOf, type Policy, policyOf } from "./policy.ts";

/** What policies are asked with. */
export interface PolicyOptions extends MatchTools {
  readonly authorizer: Authorizer;
  readonly findKind: FindKind;
}

const group = "admissionregistration.k8s.io";
const policies = { group, resource: "validatingadmissionpolicies", namespace: "" };
const bindings = { group, resource: "validatingadmissionpolicybindings", namespace: "" };
/** Questions about rights are never refused by a policy. */
const unasked = new Set([
  "selfsubjectreviews.authentication.k8s.io",
  "tokenreviews.authentication.k8s.io",
  "localsubjectaccessreviews.authorization.k8s.io",
  "selfsubjectaccessreviews.authorization.k8s.io",
  "selfsubjectrulesreviews.authorization.k8s.io",
  "subjectaccessreviews.authorization.k8s.io",
]);
const codes: ReadonlyMap<string, number> = new Map([
  ["Forbidden", 403],
  ["Unauthorized", 401],
  ["RequestEntityTooLarge", 413],
  ["Invalid", 422],
]);

/** Holds requests to the ValidatingAdmissionPolicies that are bound: refuses, or warns. */
export function validatingPolicies(options: PolicyOptions): AdmissionStep {
  /** Stored policies do not change, they are replaced: what was compiled once stays good. */
  const compiled = new WeakMap<JsonRecord, Policy>();
  const policyFor = (stored: JsonRecord): Policy => {
    const known = compiled.get(stored) ?? policyOf(stored);
    compiled.set(stored, known);
    return known;
  };
  return {
    name: "ValidatingAdmissionPolicy",
    validate: (request) => {
      const bound = options.reader.list(bindings);
      if (bound.length === 0 || isExempt(request) || unasked.has(resourceOf(request))) return undefined;
      return check(request, options, { bound, policyFor });
    },
  };
}

/** A denial, and by which binding of which policy. */
interface Refusal extends Denial {
  readonly policy: string;
  /** Empty when the policy itself is at fault. */
  readonly binding: string;
}

async function check(
  request: AdmissionRequest,
  options: PolicyOptions,
  { bound, policyFor }: { bound: readonly JsonRecord[]; policyFor: (stored: JsonRecord) => Policy },
): Promise<void> {
  const refusals: Refusal[] = [];
  for (const stored of options.reader.list(policies)) {
    const name = textAt(stored, "metadata", "name");
    const own = bound.filter((binding) => textAt(binding, "spec", "policyName") === name);
    if (own.length === 0) continue;
    refusals.push(...(await refusalsOf(request, options, { policy: policyFor(stored), own })));
  }
  const [first] = refusals;
  if (first !== undefined) throw denied(request, first);
}

async function refusalsOf(
  request: AdmissionRequest,
  options: PolicyOptions,
  { policy, own }: { readonly policy: Policy; readonly own: readonly JsonRecord[] },
): Promise<Refusal[]> {
  const kind = matchedPolicyKind(policy.match, request, options);
  if (kind === undefined) return [];
  const { paramKind, isFailureIgnored } = policy;
  const problem = (message: string, binding: string): Refusal[] =>
    isFailureIgnored ? [] : [{ policy: policy.name, binding, message, reason: "" }];
  const params = paramKind === undefined ? undefined : options.findKind(paramKind.apiVersion, paramKind.kind);
  if (paramKind !== undefined && params === undefined) {
    const missing = `failed to find resource referenced by paramKind: '${gvkText(paramKind)}'`;
    return problem(`failed to configure policy: ${missing}`, "");
  }
  const refusals: Refusal[] = [];
  for (const binding of own) {
    const bindingName = textAt(binding, "metadata", "name");
    const narrowed = valueAt(binding, "spec", "matchResources");
    if (isRecord(narrowed) && matchedPolicyKind(matchOf(narrowed), request, options) === undefined) continue;
    const found = await collected(binding, params, request, options);
    if ("problem" in found) {
      refusals.push(...problem(`failed to configure binding: ${found.problem}`, bindingName));
      continue;
    }
    const subject = await subjectOf(request, kind, options);
    for (const each of found.list) {
      const denials = denialsOf(policy, withParams(subject, each), options);
      refusals.push(...acted(request, { policy, binding, bindingName, denials }));
    }
  }
  return refusals;
}

function collected(
  binding: JsonRecord,
  kind: ServedKind | undefined,
  { namespace }: AdmissionRequest,
  { reader }: PolicyOptions,
): ReturnType<typeof paramsOf> {
  const ref = valueAt(binding, "spec", "paramRef");
  if (kind === undefined || !isSet(ref)) return Promise.resolve({ list: [undefined] });
  return paramsOf(ref, kind, { reader, namespace });
}

async function subjectOf(
  request: AdmissionRequest,
  kind: ServedKind,
  { reader }: PolicyOptions,
): Promise<EvaluationSubject> {
  const { namespace: name } = request;
  const namespace = name === "" ? undefined : reader.get({ group: "", resource: "namespaces", namespace: "", name });
  return { request, kind, ...(await objectsAs(request, kind)), namespace };
}

/** What a binding does about denials: refuses, warns, or both. Notes are for audits, which nobody keeps here. */
function acted(
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

function denied(request: AdmissionRequest, { policy, binding, message, reason }: Refusal): StatusError {
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

function gvkText({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): string {
  return `${apiVersion.includes("/") ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
}
