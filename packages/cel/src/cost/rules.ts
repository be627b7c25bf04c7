/** Cost of accessing a variable or field. */
export const accessCost = 1;
/** Cost of creating a list, in addition to its elements. */
export const listCost = 10;
/** Cost of creating a map, in addition to its entries. */
export const mapCost = 30;
/** Cost of creating an object, in addition to its fields. */
export const objectCost = 40;
/** Cost per character of traversing a string. */
export const textFactor = 0.1;
/** Cost per character of a regular expression, multiplied by the cost of traversing the string. */
export const patternFactor = 0.25;

/** Overloads that compare two values, at a cost that grows with their size. */
export const comparingOverloads: ReadonlySet<string> = new Set([
  ...["less", "greater", "less_equals", "greater_equals"].flatMap((name) => [`${name}_string`, `${name}_bytes`]),
  "equals",
  "not_equals",
]);
