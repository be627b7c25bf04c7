// Match trees of RouteGroups: which sandboxes a group includes.

import { s } from "homeostat";
import { labelSelector } from "./spec-common.ts";

/** Maximum number of levels of a match tree. */
export const matchDepthMax = 3;

/** Maximum number of leaves of a match tree. */
export const matchLeavesMax = 32;

const labelMatch = s
  .object({
    key: s.string().min(1).max(317).describe("Key of the label."),
    value: s
      .string()
      .max(256)
      .describe("Glob for the value of the label: * matches any text, ? one character, [a-z] one of a set."),
  })
  .describe("Matches sandboxes with a label.");

const leafFields = {
  label: labelMatch.optional(),
  selector: labelSelector.optional().describe("Matches sandboxes by a label selector."),
};

const anyText = "Matches sandboxes that at least one of these conditions matches. An empty list matches none.";
const allText = "Matches sandboxes that all of these conditions match.";

const leaf = s.object(leafFields).exactlyOneOf("label", "selector");

const inner = s
  .object({
    ...leafFields,
    any: s.list(leaf).atomic().max(matchLeavesMax).optional().describe(anyText),
    all: s.list(leaf).atomic().min(1).max(matchLeavesMax).optional().describe(allText),
  })
  .exactlyOneOf("label", "selector", "any", "all");

/** The number of leaves of an inner node, in CEL. */
const leavesOfInner = "(has(n.any) ? n.any.size() : has(n.all) ? n.all.size() : 1)";
const leavesOf = (list: "any" | "all"): string =>
  `(has(self.${list}) ? self.${list}.map(n, ${leavesOfInner}).sum() : 0)`;

/**
 * A match tree. CRDs have no recursive schemas, so the schema spells out each level and limits the depth: the third level has labels and selectors
 * only.
 */
export const matchNode = s
  .object({
    ...leafFields,
    any: s.list(inner).atomic().max(matchLeavesMax).optional().describe(anyText),
    all: s.list(inner).atomic().min(1).max(matchLeavesMax).optional().describe(allText),
  })
  .exactlyOneOf("label", "selector", "any", "all")
  .rule({
    rule: `${leavesOf("any")} + ${leavesOf("all")} <= ${matchLeavesMax}`,
    message: `must have at most ${matchLeavesMax} conditions in total; use a selector with matchExpressions instead of many labels`,
    reason: "FieldValueInvalid",
  });
