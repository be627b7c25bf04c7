/** What accessing a variable or a field costs. */
export const accessCost = 1;
/** What making a list costs, beyond its elements. */
export const listCost = 10;
/** What making a map costs, beyond its entries. */
export const mapCost = 30;
/** What making an object costs, beyond its fields. */
export const objectCost = 40;
/** What passing once over a text costs per character. */
export const textFactor = 0.1;
/** What a regular expression costs per character, for each pass over a text of unit cost. */
export const patternFactor = 0.25;

/** Overloads that compare two values part by part. */
export const comparingOverloads: ReadonlySet<string> = new Set([
  ...["less", "greater", "less_equals", "greater_equals"].flatMap((name) => [`${name}_string`, `${name}_bytes`]),
  "equals",
  "not_equals",
]);
