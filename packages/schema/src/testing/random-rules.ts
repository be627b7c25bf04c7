import { escapeName } from "@homeostat/cel";
import type { Schema, ValidationRule } from "../structural/schema.ts";
import type { Dice } from "./random-source.ts";

const reasons = ["FieldValueInvalid", "FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate"] as const;

/** Returns one or two random rules for a node. Most, but not all, compile. */
export function randomRules(dice: Dice, node: Schema): ValidationRule[] {
  return Array.from({ length: 1 + dice.below(2) }, () => randomRule(dice, node));
}

function randomRule(dice: Dice, node: Schema): ValidationRule {
  const expression = (variable: string): string => condition(dice, node, variable, 0);
  const [field] = Object.keys(node.properties ?? {});
  const common = {
    ...(dice.chance(30) && { message: dice.pick(["not good", "  padded  "]) }),
    ...(dice.chance(20) && { messageExpression: dice.pick(["'got it'", "''", "'a\\nb'", "[1][5] == 1 ? 'a' : 'b'"]) }),
    ...(dice.chance(25) && { reason: dice.pick(reasons) }),
    ...(field !== undefined && dice.chance(15) && { fieldPath: dice.chance(50) ? `.${field}` : `['${field}']` }),
  };
  switch (dice.below(8)) {
    case 0:
      return { rule: "self == oldSelf", ...common };
    case 1:
      return { rule: `(${expression("self")}) || !(${expression("oldSelf")})`, ...common };
    case 2:
      return { rule: "!oldSelf.hasValue() || self == oldSelf.value()", optionalOldSelf: true, ...common };
    default:
      return { rule: expression("self"), ...common };
  }
}

/** Returns a boolean CEL expression about the value of a node, which the expression `it` denotes. */
function condition(dice: Dice, node: Schema, it: string, depth: number): string {
  if (depth > 3) return "true";
  if (node["x-kubernetes-int-or-string"] === true) {
    return dice.pick([
      `type(${it}) == int ? ${it} > 1 : ${it} != 'a'`,
      `${it} == 1`,
      `${it} > 1`,
      `string(${it}) == '1'`,
    ]);
  }
  switch (node.type) {
    case "string":
      return textCondition(dice, node.format ?? "", it);
    case "integer":
      return dice.pick([
        `${it} > 1`,
        `${it} % 2 == 0`,
        `10 / ${it} > 1`,
        `${it} * 9223372036854775807 > 0`,
        `${it} in [1, 2]`,
        `double(${it}) < 2.5`,
      ]);
    case "number":
      return dice.pick([`${it} > 1.0`, `${it} < 2.0 || ${it} == 5.0`, `int(${it}) == 1`, `${it} / 2.0 > 0.4`]);
    case "boolean":
      return dice.pick([it, `!${it}`, `${it} == true`]);
    case "array":
      return listCondition(dice, node.items ?? {}, it, depth);
    case "object":
      return objectCondition(dice, node, it, depth);
    default:
      return "true";
  }
}

function textCondition(dice: Dice, format: string, it: string): string {
  switch (format) {
    case "date":
    case "date-time":
      return dice.pick([`${it} > timestamp('2020-01-01T00:00:00Z')`, `${it}.getFullYear() > 2000`]);
    case "duration":
      return dice.pick([`${it} < duration('2h')`, `${it}.getSeconds() > 1`]);
    case "byte":
      return dice.pick([`${it} == b'a'`, `size(${it}) > 0`]);
    default:
      return dice.pick([
        `${it}.size() < 4`,
        `${it} != 'a'`,
        `${it}.startsWith('a')`,
        `${it} in ['a', 'b']`,
        `${it}.matches('^[a-z]*$')`,
        `${it} > 'b'`,
        `int(${it}) > 3`,
      ]);
  }
}

function listCondition(dice: Dice, items: Schema, it: string, depth: number): string {
  const each = condition(dice, items, "x", depth + 1);
  const macro = dice.pick(["all", "exists", "exists_one"]);
  return dice.pick([
    `${it}.size() < 3`,
    `${it}.${macro}(x, ${each})`,
    `${it}.filter(x, ${each}).size() < 2`,
    `(${it} + ${it}).size() == 2`,
    `${it}[0] == ${it}[1]`,
  ]);
}

function objectCondition(dice: Dice, node: Schema, it: string, depth: number): string {
  const [first, ...rest] = Object.entries(node.properties ?? {});
  const others = node.additionalProperties;
  if (first !== undefined) {
    const [name, property] = dice.pick([first, ...rest]);
    const field = `${it}.${escapeName(name) ?? "unreachable"}`;
    const inner = condition(dice, property, field, depth + 1);
    return dice.pick([`has(${field})`, `!has(${field}) || (${inner})`, inner]);
  }
  if (typeof others !== "object") return "true";
  const inner = condition(dice, others, `${it}[k]`, depth + 1);
  return dice.pick([`${it}.size() < 3`, `'a' in ${it}`, `${it}.all(k, ${inner})`, `has(${it}.a)`]);
}
