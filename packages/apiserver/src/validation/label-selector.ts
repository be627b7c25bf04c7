import type { Field } from "./field.ts";

/** Checks a `LabelSelector` in a spec. */
export function checkLabelSelector(selector: Field): void {
  if (!selector.isSet) return;
  selector.at("matchLabels").labels();
  for (const expression of selector.at("matchExpressions").items()) {
    checkExpression(expression, { allowsComparison: false });
  }
}

/** Checks a `NodeSelectorTerm`. */
export function checkNodeSelectorTerm(term: Field): void {
  for (const expression of term.at("matchExpressions").items()) checkExpression(expression, { allowsComparison: true });
}

/** Checks a requirement of a selector. Only selectors of nodes compare numbers with `Gt` and `Lt`. */
function checkExpression(expression: Field, { allowsComparison }: { readonly allowsComparison: boolean }): void {
  const operator = expression.at("operator");
  const values = expression.at("values");
  if (operator.text === "In" || operator.text === "NotIn") {
    if (values.length === 0) values.required("must be specified when `operator` is 'In' or 'NotIn'");
  } else if (operator.text === "Exists" || operator.text === "DoesNotExist") {
    if (values.length > 0) values.forbidden("may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
  } else if (allowsComparison && (operator.text === "Gt" || operator.text === "Lt")) {
    if (values.length !== 1) values.required("must be specified single value when `operator` is 'Lt' or 'Gt'");
  } else operator.invalid("not a valid selector operator", operator.text);
  expression.at("key").qualifiedName();
  for (const value of values.items()) value.labelValue();
}
