// Finds the policies that apply to a request, with their bindings and parameters.

import { isRecord, type JsonRecord } from "@homeostat/core";
import { strategyOf } from "../../kinds/strategies.ts";
import type { ServedKind } from "../../resources/served-kind.ts";
import { isSet, textAt, valueAt } from "../../values/fields.ts";
import type { AdmissionRequest } from "../../admission/admission.ts";
import { isExempt } from "../../admission/webhooks/dispatch.ts";
import { matchedPolicyKind, type MatchTools } from "./match-resources.ts";
import { type FindKind, paramsOf } from "./params.ts";
import { matchOf, type PolicyBase } from "./policy.ts";

/** Dependencies of {@link BoundPolicies}. */
export interface BoundTools extends MatchTools {
  readonly findKind: FindKind;
}

/** A policy that applies to a request, or the reason why it cannot be evaluated. */
export type BoundPolicy<P extends PolicyBase> =
  | {
      readonly policy: P;
      readonly binding: JsonRecord;
      readonly bindingName: string;
      /** The kind in whose version the policy sees the object. */
      readonly kind: ServedKind;
      readonly params: JsonRecord | undefined;
    }
  /** `bindingName` is empty if the problem is in the policy itself. */
  | { readonly policy: P; readonly bindingName: string; readonly problem: string };

const group = "admissionregistration.k8s.io";

/** The policies of one resource, such as `validatingadmissionpolicies`, with their bindings. */
export class BoundPolicies<P extends PolicyBase> {
  readonly #tools: BoundTools;
  readonly #resources: { readonly policies: string; readonly bindings: string };
  readonly #compile: (stored: JsonRecord) => P;
  /**
   * Compiled policies by stored object. Stored objects are immutable (an update replaces them), so entries never become
   * stale.
   */
  readonly #compiled = new WeakMap<JsonRecord, P>();

  constructor(
    tools: BoundTools,
    resources: { readonly policies: string; readonly bindings: string },
    compile: (stored: JsonRecord) => P,
  ) {
    this.#tools = tools;
    this.#resources = resources;
    this.#compile = compile;
  }

  /** Reports whether no policy can apply to a request. Cheap, so that clusters without policies pay nothing. */
  noneCanApply(request: AdmissionRequest): boolean {
    if (this.#bindings().length === 0 || isExempt(request)) return true;
    return strategyOf(request.kind.resource).isExemptFromPolicies === true;
  }

  /**
   * Returns the policies that apply to a request, in the order of their names, one entry per binding and parameter
   * object.
   */
  async of(request: AdmissionRequest): Promise<BoundPolicy<P>[]> {
    const bound = this.#bindings();
    const found: BoundPolicy<P>[] = [];
    for (const stored of this.#list(this.#resources.policies)) {
      const name = textAt(stored, "metadata", "name");
      const own = bound.filter((binding) => textAt(binding, "spec", "policyName") === name);
      if (own.length > 0) found.push(...(await this.#withBindings(request, this.#policy(stored), own)));
    }
    return found;
  }

  #list(resource: string): readonly JsonRecord[] {
    return this.#tools.reader.list({ group, resource, namespace: "" });
  }

  #bindings(): readonly JsonRecord[] {
    return this.#list(this.#resources.bindings);
  }

  #policy(stored: JsonRecord): P {
    const cached = this.#compiled.get(stored) ?? this.#compile(stored);
    this.#compiled.set(stored, cached);
    return cached;
  }

  async #withBindings(request: AdmissionRequest, policy: P, own: readonly JsonRecord[]): Promise<BoundPolicy<P>[]> {
    const kind = matchedPolicyKind(policy.match, request, this.#tools);
    if (kind === undefined) return [];
    const { paramKind } = policy;
    const params = paramKind === undefined ? undefined : this.#tools.findKind(paramKind.apiVersion, paramKind.kind);
    if (paramKind !== undefined && params === undefined) {
      const missing = `failed to find resource referenced by paramKind: '${gvkText(paramKind)}'`;
      return [{ policy, bindingName: "", problem: `failed to configure policy: ${missing}` }];
    }
    const found: BoundPolicy<P>[] = [];
    for (const binding of own) {
      const bindingName = textAt(binding, "metadata", "name");
      const narrowed = valueAt(binding, "spec", "matchResources");
      if (isRecord(narrowed) && matchedPolicyKind(matchOf(narrowed), request, this.#tools) === undefined) continue;
      const collected = await this.#params(binding, params, request);
      if ("problem" in collected) {
        found.push({ policy, bindingName, problem: `failed to configure binding: ${collected.problem}` });
        continue;
      }
      for (const each of collected.list) found.push({ policy, binding, bindingName, kind, params: each });
    }
    return found;
  }

  #params(
    binding: JsonRecord,
    kind: ServedKind | undefined,
    { namespace }: AdmissionRequest,
  ): ReturnType<typeof paramsOf> {
    const ref = valueAt(binding, "spec", "paramRef");
    if (kind === undefined || !isSet(ref)) return Promise.resolve({ list: [undefined] });
    return paramsOf(ref, kind, { reader: this.#tools.reader, namespace });
  }
}

function gvkText({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): string {
  return `${apiVersion.includes("/") ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
}
