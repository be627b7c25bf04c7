import { isEqual, type JsonRecord } from "@homeostat/core";
import type { ServedKind } from "../../resources/served-kind.ts";
import { StatusError } from "../../status/status.ts";
import { textAt } from "../../values/fields.ts";
import type { AdmissionRequest, AdmissionStep, MutationRound } from "../../admission/admission.ts";
import { forbid } from "../../admission/forbid.ts";
import { convertObject } from "../../admission/webhooks/dispatch.ts";
import type { Complete } from "../../admission/webhooks/mutating.ts";
import { applyConfiguration, MutationFailure, applyJsonPatch } from "./apply-mutation.ts";
import { BoundPolicies, type BoundPolicy } from "./bound-policies.ts";
import { meetsConditions, outOfBudget, Evaluation, withParams } from "./evaluate.ts";
import { type Mutation, type MutatingPolicy, compileMutatingPolicy } from "./mutating-policy.ts";
import { type PolicyOptions, policySubject } from "./validating-policies.ts";

/** Options of {@link mutatingPolicies}. */
export interface MutatingPolicyOptions extends PolicyOptions {
  readonly complete: Complete;
}

const memoryKey = "MutatingAdmissionPolicy";

/**
 * State of the first pass that the second pass (reinvocation) needs.
 *
 * A policy with `reinvocationPolicy: IfNeeded` is evaluated again if the object changed after it was evaluated: by a
 * later policy, or by another step between the two passes, which is noticed by comparing `output`.
 */
interface Memory {
  /** The object after the policies of the first pass. */
  output: JsonRecord | undefined;
  /** Keys of reinvocable policies evaluated since the object last changed. */
  readonly evaluated: Set<string>;
  /** Keys of reinvocable policies that were evaluated before the object last changed, so must be evaluated again. */
  readonly stale: Set<string>;
}

/** A failure to evaluate or apply a policy. */
interface PolicyFailure {
  readonly policy: MutatingPolicy;
  /** Empty if the problem is in the policy itself. */
  readonly bindingName: string;
  readonly message: string;
  /** `Invalid` for failures of expressions, empty for configuration problems. */
  readonly reason: string;
}

type Bound = Extract<BoundPolicy<MutatingPolicy>, { readonly binding: JsonRecord }>;

/** Returns the step that applies the bound MutatingAdmissionPolicies to objects. */
export function mutatingPolicies(options: MutatingPolicyOptions): AdmissionStep {
  const resources = { policies: "mutatingadmissionpolicies", bindings: "mutatingadmissionpolicybindings" };
  const policies = new BoundPolicies(options, resources, compileMutatingPolicy);
  return {
    name: "MutatingAdmissionPolicy",
    mutate: (request, round) =>
      request.operation === "DELETE" || policies.noneCanApply(request)
        ? undefined
        : new Dispatch(options, round).run(request, policies),
  };
}

/** One pass through the policies. */
class Dispatch {
  readonly #options: MutatingPolicyOptions;
  readonly #round: MutationRound;
  readonly #memory: Memory;
  readonly #failures: PolicyFailure[] = [];

  constructor(options: MutatingPolicyOptions, round: MutationRound) {
    this.#options = options;
    this.#round = round;
    this.#memory = memoryOf(round);
  }

  async run(request: AdmissionRequest, policies: BoundPolicies<MutatingPolicy>): Promise<JsonRecord | undefined> {
    const all = await policies.of(request);
    const memory = this.#memory;
    let { object } = request;
    if (all.length > 0 && this.#round.isReinvocation && !isEqual(memory.output, object)) markStale(memory);
    const problems: PolicyFailure[] = [];
    for (const bound of all) {
      if ("problem" in bound) {
        const { policy, bindingName, problem: message } = bound;
        problems.push({ policy, bindingName, message, reason: "" });
      } else object = await this.#applyPolicy({ ...request, object }, bound);
    }
    memory.output = object;
    const failures = [...problems, ...this.#failures].filter(({ policy }) => !policy.isFailureIgnored);
    if (failures.length > 0) throw refusalOf(request, failures);
    return object === request.object ? undefined : object;
  }

  /** Applies one policy and returns the resulting object. */
  async #applyPolicy(request: AdmissionRequest, bound: Bound): Promise<JsonRecord | undefined> {
    const { policy, bindingName, kind, params } = bound;
    const { authorizer, reader } = this.#options;
    const subject = withParams(await policySubject(request, kind, reader), params);
    const isMet = meetsConditions(policy, subject, authorizer);
    if (typeof isMet === "string") this.#fail(bound, isMet);
    const key = `${policy.name}/${bindingName}/${textAt(params, "metadata", "namespace")}/${textAt(params, "metadata", "name")}`;
    if (isMet !== true || (this.#round.isReinvocation && !this.#memory.stale.has(key))) return request.object;
    let { object } = subject;
    let isChanged = false;
    for (const mutation of policy.mutations) {
      if (object === undefined) break;
      const created = this.#mutated(mutation, {
        bound,
        object,
        evaluation: new Evaluation(policy, { ...subject, object }, authorizer),
      });
      if (created === undefined) continue;
      isChanged = true;
      object = this.#options.complete(created, kind, request.subresource);
    }
    if (isChanged) {
      markStale(this.#memory);
      this.#round.requestReinvocation();
    }
    if (policy.isReinvokedIfNeeded) this.#memory.evaluated.add(key);
    return this.#toRequestVersion(object, { request, kind, before: subject.object });
  }

  /** Applies one mutation. Returns undefined if it failed. */
  #mutated(
    { patchType, expression }: Mutation,
    { bound, object, evaluation }: { bound: Bound; object: JsonRecord; evaluation: Evaluation },
  ): JsonRecord | undefined {
    if (expression.problem !== "") return this.#fail(bound, expression.problem);
    const evaluated = evaluation.evaluate(expression);
    if (evaluated === undefined) return this.#fail(bound, outOfBudget);
    if ("error" in evaluated) return this.#fail(bound, evaluated.error);
    try {
      const change = patchType === "JSONPatch" ? applyJsonPatch : applyConfiguration;
      return change(evaluated.value, object, bound.kind);
    } catch (error) {
      if (!(error instanceof MutationFailure)) throw error;
      return this.#fail(bound, error.message);
    }
  }

  #fail({ policy, bindingName }: Bound, message: string): undefined {
    this.#failures.push({ policy, bindingName, message, reason: "Invalid" });
  }

  async #toRequestVersion(
    object: JsonRecord | undefined,
    { request, kind, before }: { request: AdmissionRequest; kind: ServedKind; before: JsonRecord | undefined },
  ): Promise<JsonRecord | undefined> {
    if (object === undefined || object === before || isEqual(object, before)) return request.object;
    const { subresource } = request;
    return subresource === "" || subresource === "status" ? convertObject(object, kind, request.kind) : object;
  }
}

function memoryOf({ memory }: MutationRound): Memory {
  const existing = memory.get(memoryKey);
  if (isMemory(existing)) return existing;
  const created: Memory = { output: undefined, evaluated: new Set(), stale: new Set() };
  memory.set(memoryKey, created);
  return created;
}

function isMemory(value: unknown): value is Memory {
  return typeof value === "object" && value !== null && "stale" in value;
}

function markStale({ evaluated, stale }: Memory): void {
  for (const key of evaluated) stale.add(key);
  evaluated.clear();
}

/** Returns one refusal for all failures, with the message of the first. */
function refusalOf(request: AdmissionRequest, failures: readonly PolicyFailure[]): StatusError {
  const texts = failures.map(({ policy, bindingName, message }) =>
    bindingName === ""
      ? `policy ${JSON.stringify(policy.name)} denied request: ${message}`
      : `policy '${policy.name}' with binding '${bindingName}' denied request: ${message}`,
  );
  const { status } = forbid(request, "");
  const [first] = failures;
  return new StatusError({
    ...status,
    message: texts[0] ?? "",
    ...(first === undefined || first.reason === "" ? {} : { reason: first.reason }),
    details: { ...status.details, causes: texts.map((message) => ({ message })) },
  });
}
