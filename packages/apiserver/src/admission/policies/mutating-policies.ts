import { isEqual, type JsonRecord } from "@homeostat/core";
import type { ServedKind } from "../../registry/served-kind.ts";
import { StatusError } from "../../status/status.ts";
import { textAt } from "../../values/fields.ts";
import type { AdmissionRequest, AdmissionStep, MutationRound } from "../admission.ts";
import { forbid } from "../forbid.ts";
import { converted } from "../webhooks/dispatch.ts";
import type { Complete } from "../webhooks/mutating.ts";
import { configuredObject, MutationFailure, patchedObject } from "./apply-mutation.ts";
import { BoundPolicies, type BoundPolicy } from "./bound-policies.ts";
import { meetsConditions, outOfBudget, Run, withParams } from "./evaluate.ts";
import { type Mutation, type MutatingPolicy, mutatingPolicyOf } from "./mutating-policy.ts";
import { type PolicyOptions, policySubject } from "./validating-policies.ts";

/** What policies that change objects need besides. */
export interface MutatingPolicyOptions extends PolicyOptions {
  readonly complete: Complete;
}

const memoryKey = "MutatingAdmissionPolicy";

/** What the second round has to know of the first. */
interface Memory {
  /** What the object was after the policies. */
  output: JsonRecord | undefined;
  /** Policies that want to be asked again, asked since the last change. */
  readonly asked: Set<string>;
  /** Those of them after whom the object was changed. */
  readonly outdated: Set<string>;
}

/** Why a policy could not do what it says. */
interface Trouble {
  readonly policy: MutatingPolicy;
  /** Empty when the policy itself is at fault. */
  readonly bindingName: string;
  readonly message: string;
  /** `Invalid` for what its expressions did, empty for how it was set up. */
  readonly reason: string;
}

type Bound = Extract<BoundPolicy<MutatingPolicy>, { readonly binding: JsonRecord }>;

/** Changes objects as the MutatingAdmissionPolicies say that are bound. */
export function mutatingPolicies(options: MutatingPolicyOptions): AdmissionStep {
  const resources = { policies: "mutatingadmissionpolicies", bindings: "mutatingadmissionpolicybindings" };
  const policies = new BoundPolicies(options, resources, mutatingPolicyOf);
  return {
    name: "MutatingAdmissionPolicy",
    mutate: (request, round) =>
      request.operation === "DELETE" || policies.isFree(request)
        ? undefined
        : new Dispatch(options, round).run(request, policies),
  };
}

/** One way through the policies. */
class Dispatch {
  readonly #options: MutatingPolicyOptions;
  readonly #round: MutationRound;
  readonly #memory: Memory;
  readonly #troubles: Trouble[] = [];

  constructor(options: MutatingPolicyOptions, round: MutationRound) {
    this.#options = options;
    this.#round = round;
    this.#memory = memoryOf(round);
  }

  async run(request: AdmissionRequest, policies: BoundPolicies<MutatingPolicy>): Promise<JsonRecord | undefined> {
    const all = await policies.of(request);
    const memory = this.#memory;
    let { object } = request;
    if (all.length > 0 && this.#round.isSecond && !isEqual(memory.output, object)) outdate(memory);
    const problems: Trouble[] = [];
    for (const bound of all) {
      if ("problem" in bound) {
        const { policy, bindingName, problem: message } = bound;
        problems.push({ policy, bindingName, message, reason: "" });
      } else object = await this.#ask({ ...request, object }, bound);
    }
    memory.output = object;
    const troubles = [...problems, ...this.#troubles].filter(({ policy }) => !policy.isFailureIgnored);
    if (troubles.length > 0) throw refusalOf(request, troubles);
    return object === request.object ? undefined : object;
  }

  /** The object after one policy. */
  async #ask(request: AdmissionRequest, bound: Bound): Promise<JsonRecord | undefined> {
    const { policy, bindingName, kind, params } = bound;
    const { authorizer, reader } = this.#options;
    const subject = withParams(await policySubject(request, kind, reader), params);
    const isMet = meetsConditions(policy, subject, authorizer);
    if (typeof isMet === "string") this.#fail(bound, isMet);
    const key = `${policy.name}/${bindingName}/${textAt(params, "metadata", "namespace")}/${textAt(params, "metadata", "name")}`;
    if (isMet !== true || (this.#round.isSecond && !this.#memory.outdated.has(key))) return request.object;
    let { object } = subject;
    let isTouched = false;
    for (const mutation of policy.mutations) {
      if (object === undefined) break;
      const made = this.#mutated(mutation, { bound, object, run: new Run(policy, { ...subject, object }, authorizer) });
      if (made === undefined) continue;
      isTouched = true;
      object = this.#options.complete(made, kind, request.subresource);
    }
    if (isTouched) {
      outdate(this.#memory);
      this.#round.repeat();
    }
    if (policy.isRepeatedIfNeeded) this.#memory.asked.add(key);
    return this.#asSent(object, { request, kind, before: subject.object });
  }

  /** The object after one mutation; undefined when there was none to make. */
  #mutated(
    { patchType, expression }: Mutation,
    { bound, object, run }: { bound: Bound; object: JsonRecord; run: Run },
  ): JsonRecord | undefined {
    if (expression.problem !== "") return this.#fail(bound, expression.problem);
    const evaluated = run.evaluate(expression);
    if (evaluated === undefined) return this.#fail(bound, outOfBudget);
    if ("error" in evaluated) return this.#fail(bound, evaluated.error);
    try {
      const change = patchType === "JSONPatch" ? patchedObject : configuredObject;
      return change(evaluated.value, object, bound.kind);
    } catch (error) {
      if (!(error instanceof MutationFailure)) throw error;
      return this.#fail(bound, error.message);
    }
  }

  #fail({ policy, bindingName }: Bound, message: string): undefined {
    this.#troubles.push({ policy, bindingName, message, reason: "Invalid" });
  }

  async #asSent(
    object: JsonRecord | undefined,
    { request, kind, before }: { request: AdmissionRequest; kind: ServedKind; before: JsonRecord | undefined },
  ): Promise<JsonRecord | undefined> {
    if (object === undefined || object === before || isEqual(object, before)) return request.object;
    const { subresource } = request;
    return subresource === "" || subresource === "status" ? converted(object, kind, request.kind) : object;
  }
}

function memoryOf({ memory }: MutationRound): Memory {
  const known = memory.get(memoryKey);
  if (isMemory(known)) return known;
  const made: Memory = { output: undefined, asked: new Set(), outdated: new Set() };
  memory.set(memoryKey, made);
  return made;
}

function isMemory(value: unknown): value is Memory {
  return typeof value === "object" && value !== null && "outdated" in value;
}

function outdate({ asked, outdated }: Memory): void {
  for (const key of asked) outdated.add(key);
  asked.clear();
}

/** One refusal for all that went wrong; the first gives it its message. */
function refusalOf(request: AdmissionRequest, troubles: readonly Trouble[]): StatusError {
  const texts = troubles.map(({ policy, bindingName, message }) =>
    bindingName === ""
      ? `policy ${JSON.stringify(policy.name)} denied request: ${message}`
      : `policy '${policy.name}' with binding '${bindingName}' denied request: ${message}`,
  );
  const { status } = forbid(request, "");
  const [first] = troubles;
  return new StatusError({
    ...status,
    message: texts[0] ?? "",
    ...(first === undefined || first.reason === "" ? {} : { reason: first.reason }),
    details: { ...status.details, causes: texts.map((message) => ({ message })) },
  });
}
