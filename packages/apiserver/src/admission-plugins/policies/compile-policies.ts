import { boolType, listType, stringType } from "@homeostat/cel";
import { isRecord, type JsonRecord, nextTurn } from "@homeostat/core";
import { strategyOf } from "../../kinds/strategies.ts";
import { listAt, textAt, valueAt } from "../../values/fields.ts";
import type { AdmissionStep } from "../../admission/admission.ts";
import { admissionEnvironment } from "../../admission/cel/environment.ts";
import { precompile, discardPrecompiled } from "../../admission/cel/expressions.ts";
import { operationType, wholeObjectType } from "../../admission/cel/patch-library.ts";
import { compileVariablesStepwise } from "../../admission/cel/variables.ts";

/** Policies with fewer expressions are compiled during validation, which takes a few milliseconds. */
const fewMax = 100;
/** Length of source text to compile before yielding to the event loop: a few milliseconds of work. */
const charactersMax = 4000;

/**
 * Compiles the expressions of a large policy before it is validated, in small batches.
 *
 * The real server does not limit the number of expressions and compiles them on another thread. Here, validation of a
 * policy is synchronous and would block all other requests; with the expressions compiled in advance, it is short.
 */
export const compilePolicies: AdmissionStep = {
  name: "PolicyCompilation",
  mutate: ({ object, subresource, kind, signal }) => {
    if (object === undefined || subresource !== "") return undefined;
    if (strategyOf(kind.resource).hasPolicyExpressions !== true) return undefined;
    const count = ["variables", "validations", "mutations"].reduce(
      (sum, list) => sum + listAt(object, "spec", list).length,
      0,
    );
    return count <= fewMax ? undefined : compileAll(object, signal);
  },
};

async function compileAll(policy: JsonRecord, signal: AbortSignal): Promise<undefined> {
  discardPrecompiled();
  let characters = 0;
  for (const source of compileStepwise(policy)) {
    characters += source.length + 20;
    if (characters < charactersMax) continue;
    characters = 0;
    await nextTurn();
    signal.throwIfAborted();
  }
}

/** Compiles the expressions one by one, in the order in which validation needs them, and yields the source of each. */
function* compileStepwise(policy: JsonRecord): Generator<string, void, undefined> {
  const hasParams = isRecord(valueAt(policy, "spec", "paramKind"));
  const declared = listAt(policy, "spec", "variables")
    .map((each) => ({ name: textAt(each, "name"), expression: textAt(each, "expression") }))
    .filter(({ expression }) => expression.trim() !== "");
  const { type } = yield* compileVariablesStepwise(declared, hasParams);
  const isMutating = policy["kind"] === "MutatingAdmissionPolicy";
  const form = { hasParams, ...(isMutating || declared.length > 0 ? { variables: type } : {}) };
  const environment = admissionEnvironment({ ...form, hasAuthorizer: true });
  const messageEnvironment = admissionEnvironment({ ...form, hasAuthorizer: false });
  for (const each of listAt(policy, "spec", "validations")) {
    const messageExpression = textAt(each, "messageExpression");
    yield precompile(environment, textAt(each, "expression"), [boolType]).source;
    if (messageExpression !== "") yield precompile(messageEnvironment, messageExpression, [stringType]).source;
  }
  const patchEnvironment = admissionEnvironment({ ...form, hasAuthorizer: true, makesPatches: true });
  for (const each of listAt(policy, "spec", "mutations")) {
    const isPatch = textAt(each, "patchType") === "JSONPatch";
    const source = textAt(each, isPatch ? "jsonPatch" : "applyConfiguration", "expression").trim();
    yield precompile(patchEnvironment, source, [isPatch ? listType(operationType) : wholeObjectType]).source;
  }
}
