import { boolType, listType, stringType } from "@homeostat/cel";
import { isRecord, type JsonRecord, nextTurn } from "@homeostat/core";
import { strategyOf } from "../../kinds/strategies.ts";
import { listAt, textAt, valueAt } from "../../values/fields.ts";
import type { AdmissionStep } from "../admission.ts";
import { admissionEnvironment } from "../cel/environment.ts";
import { compileAhead, forgetAhead } from "../cel/expressions.ts";
import { operationType, wholeObjectType } from "../cel/patch-library.ts";
import { declaring } from "./variables.ts";

/** Fewer expressions are compiled where they are checked, and nobody notices. */
const fewMax = 100;
/** How much text is compiled before others have their turn: some milliseconds of work. */
const charactersMax = 4000;

/**
 * Compiles the expressions of a large policy before it is checked, a piece at a time.
 *
 * A real server sets no limit to their number, and takes its time on another thread. Here the checks of a policy are one
 * piece of work, during which nobody else would be answered; with everything compiled ahead it is short.
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
  forgetAhead();
  let characters = 0;
  for (const source of compiling(policy)) {
    characters += source.length + 20;
    if (characters < charactersMax) continue;
    characters = 0;
    await nextTurn();
    signal.throwIfAborted();
  }
}

/** Compiles one expression after the other, as the checks ask for them, and shows each. */
function* compiling(policy: JsonRecord): Generator<string, void, undefined> {
  const hasParams = isRecord(valueAt(policy, "spec", "paramKind"));
  const declared = listAt(policy, "spec", "variables")
    .map((each) => ({ name: textAt(each, "name"), expression: textAt(each, "expression") }))
    .filter(({ expression }) => expression.trim() !== "");
  const { type } = yield* declaring(declared, hasParams);
  const isMutating = policy["kind"] === "MutatingAdmissionPolicy";
  const form = { hasParams, ...(isMutating || declared.length > 0 ? { variables: type } : {}) };
  const whole = admissionEnvironment({ ...form, hasAuthorizer: true });
  const words = admissionEnvironment({ ...form, hasAuthorizer: false });
  for (const each of listAt(policy, "spec", "validations")) {
    const said = textAt(each, "messageExpression");
    yield compileAhead(whole, textAt(each, "expression"), [boolType]).source;
    if (said !== "") yield compileAhead(words, said, [stringType]).source;
  }
  const making = admissionEnvironment({ ...form, hasAuthorizer: true, makesPatches: true });
  for (const each of listAt(policy, "spec", "mutations")) {
    const isPatch = textAt(each, "patchType") === "JSONPatch";
    const source = textAt(each, isPatch ? "jsonPatch" : "applyConfiguration", "expression").trim();
    yield compileAhead(making, source, [isPatch ? listType(operationType) : wholeObjectType]).source;
  }
}
