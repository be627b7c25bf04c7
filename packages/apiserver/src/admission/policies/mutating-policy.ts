// Policies that change objects, compiled.

import { listType } from "@homeostat/cel";
import { listAt, textAt } from "../../values/fields.ts";
import { admissionEnvironment } from "../cel/environment.ts";
import { compileExpression, type Expression } from "../cel/expressions.ts";
import { operationType, wholeObjectType } from "../cel/patch-library.ts";
import { type PolicyHead, policyHeadOf } from "./policy.ts";

/** One change of a policy: its expression makes a JSON patch, or what is to be laid over the object. */
export interface Mutation {
  readonly patchType: "ApplyConfiguration" | "JSONPatch";
  readonly expression: Expression;
}

/** A policy that changes objects. */
export interface MutatingPolicy extends PolicyHead {
  readonly mutations: readonly Mutation[];
  /** Whether it is asked again after others changed the object. */
  readonly isRepeatedIfNeeded: boolean;
}

/** Reads and compiles a policy that changes objects. */
export function mutatingPolicyOf(policy: unknown): MutatingPolicy {
  const head = policyHeadOf(policy);
  const { paramKind, variables } = head;
  const environment = admissionEnvironment({
    hasParams: paramKind !== undefined,
    hasAuthorizer: true,
    makesPatches: true,
    variables: variables.type,
  });
  return {
    ...head,
    mutations: listAt(policy, "spec", "mutations").map((each) => {
      const isPatch = textAt(each, "patchType") === "JSONPatch";
      const source = textAt(each, isPatch ? "jsonPatch" : "applyConfiguration", "expression");
      return {
        patchType: isPatch ? "JSONPatch" : "ApplyConfiguration",
        expression: compileExpression(environment, source, [isPatch ? listType(operationType) : wholeObjectType]),
      };
    }),
    isRepeatedIfNeeded: textAt(policy, "spec", "reinvocationPolicy") === "IfNeeded",
  };
}
