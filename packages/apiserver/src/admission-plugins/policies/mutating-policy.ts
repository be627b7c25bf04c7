// Compiled MutatingAdmissionPolicies.

import { listType } from "@homeostat/cel";
import { listAt, textAt } from "../../values/fields.ts";
import { admissionEnvironment } from "../../admission/cel/environment.ts";
import { compileExpression, type Expression } from "../../admission/cel/expressions.ts";
import { operationType, wholeObjectType } from "../../admission/cel/patch-library.ts";
import { type PolicyBase, compilePolicyBase } from "./policy.ts";

/** A mutation: its expression returns a JSON Patch or an apply configuration. */
export interface Mutation {
  readonly patchType: "ApplyConfiguration" | "JSONPatch";
  readonly expression: Expression;
}

/** A compiled MutatingAdmissionPolicy. */
export interface MutatingPolicy extends PolicyBase {
  readonly mutations: readonly Mutation[];
  /** True if the policy is evaluated again when the object changed after it. */
  readonly isReinvokedIfNeeded: boolean;
}

/** Parses and compiles a MutatingAdmissionPolicy. */
export function compileMutatingPolicy(policy: unknown): MutatingPolicy {
  const base = compilePolicyBase(policy);
  const { paramKind, variables } = base;
  const environment = admissionEnvironment({
    hasParams: paramKind !== undefined,
    hasAuthorizer: true,
    makesPatches: true,
    variables: variables.type,
  });
  return {
    ...base,
    mutations: listAt(policy, "spec", "mutations").map((each) => {
      const isPatch = textAt(each, "patchType") === "JSONPatch";
      const source = textAt(each, isPatch ? "jsonPatch" : "applyConfiguration", "expression");
      return {
        patchType: isPatch ? "JSONPatch" : "ApplyConfiguration",
        expression: compileExpression(environment, source, [isPatch ? listType(operationType) : wholeObjectType]),
      };
    }),
    isReinvokedIfNeeded: textAt(policy, "spec", "reinvocationPolicy") === "IfNeeded",
  };
}
