// Amounts by name, as requests, limits and quotas have them.

import { isQuantity, parseQuantity, type Quantity, quantityFromInteger } from "@homeostat/core";
import { entriesAt, listAt, textAt, valueAt } from "../values/fields.ts";

/** Amounts by the name of what is measured: `cpu`, `requests.memory`. */
export type Amounts = ReadonlyMap<string, Quantity>;

/** The amounts at a path of an object. What is no quantity is left out. */
export function amountsAt(object: unknown, ...path: readonly string[]): Map<string, Quantity> {
  const amounts = new Map<string, Quantity>();
  for (const [name, value] of entriesAt(object, ...path)) {
    const text = typeof value === "number" ? String(value) : value;
    if (typeof text === "string" && isQuantity(text)) amounts.set(name, parseQuantity(text));
  }
  return amounts;
}

/** One of something that is counted. */
export const one: Quantity = quantityFromInteger(1);
/** None of something that is counted. */
export const none: Quantity = quantityFromInteger(0);

/** Adds amounts to others, in place. */
export function addAmounts(sum: Map<string, Quantity>, more: Amounts): void {
  for (const [name, amount] of more) {
    const before = sum.get(name);
    sum.set(name, before === undefined ? amount : before.add(amount));
  }
}

/** Raises amounts to others where those are larger, in place. */
export function raiseAmounts(amounts: Map<string, Quantity>, others: Amounts): void {
  for (const [name, amount] of others) {
    const before = amounts.get(name);
    if (before === undefined || amount.isGreaterThan(before)) amounts.set(name, amount);
  }
}

/** Those of the amounts that have one of the names. */
export function pick(amounts: Amounts, names: Iterable<string>): Map<string, Quantity> {
  const picked = new Map<string, Quantity>();
  for (const name of names) {
    const amount = amounts.get(name);
    if (amount !== undefined) picked.set(name, amount);
  }
  return picked;
}

const wholePod = ["cpu", "memory"];

/**
 * What a pod asks for, or may use, in all: its containers together, or what one of its first steps needs if that is more.
 *
 * Containers that start first and stay count with the others from then on.
 */
export function podAmounts(pod: unknown, field: "limits" | "requests"): Map<string, Quantity> {
  const sum = new Map<string, Quantity>();
  for (const container of listAt(pod, "spec", "containers")) addAmounts(sum, amountsAt(container, "resources", field));
  const staying = new Map<string, Quantity>();
  const first = new Map<string, Quantity>();
  for (const container of listAt(pod, "spec", "initContainers")) {
    const own = amountsAt(container, "resources", field);
    if (textAt(container, "restartPolicy") === "Always") {
      addAmounts(sum, own);
      addAmounts(staying, own);
      raiseAmounts(first, staying);
    } else {
      addAmounts(own, staying);
      raiseAmounts(first, own);
    }
  }
  raiseAmounts(sum, first);
  const whole = amountsAt(valueAt(pod, "spec", "resources"), field);
  for (const [name, amount] of pick(whole, wholePod)) sum.set(name, amount);
  return sum;
}

/** Amounts as a message shows them: `cpu=2,pods=1`. */
export function amountsText(amounts: Amounts): string {
  return [...amounts]
    .toSorted(([a], [b]) => (a < b ? -1 : Number(a > b)))
    .map(([name, amount]) => `${name}=${amount.canonical()}`)
    .join(",");
}
