// Quantities by resource name, as in requests, limits and quotas.

import { isQuantity, parseQuantity, type Quantity, quantityFromInteger } from "@homeostat/core";
import { entriesAt, listAt, textAt, valueAt } from "../values/fields.ts";

/** Quantities by resource name, such as `cpu` or `requests.memory`. */
export type Amounts = ReadonlyMap<string, Quantity>;

/** Returns the quantities at a path of an object. Values that are not quantities are skipped. */
export function amountsAt(object: unknown, ...path: readonly string[]): Map<string, Quantity> {
  const amounts = new Map<string, Quantity>();
  for (const [name, value] of entriesAt(object, ...path)) {
    const text = typeof value === "number" ? String(value) : value;
    if (typeof text === "string" && isQuantity(text)) amounts.set(name, parseQuantity(text));
  }
  return amounts;
}

/** The quantity 1, for counted resources. */
export const one: Quantity = quantityFromInteger(1);
/** The quantity 0. */
export const none: Quantity = quantityFromInteger(0);

/** Adds `more` to `sum`, in place. */
export function addAmounts(sum: Map<string, Quantity>, more: Amounts): void {
  for (const [name, amount] of more) {
    const before = sum.get(name);
    sum.set(name, before === undefined ? amount : before.add(amount));
  }
}

/** Raises each quantity to the one in `others` if that is larger, in place. */
export function raiseAmounts(amounts: Map<string, Quantity>, others: Amounts): void {
  for (const [name, amount] of others) {
    const before = amounts.get(name);
    if (before === undefined || amount.isGreaterThan(before)) amounts.set(name, amount);
  }
}

/** Returns the quantities with one of the given names. */
export function pick(amounts: Amounts, names: Iterable<string>): Map<string, Quantity> {
  const picked = new Map<string, Quantity>();
  for (const name of names) {
    const amount = amounts.get(name);
    if (amount !== undefined) picked.set(name, amount);
  }
  return picked;
}

const podLevelResources = ["cpu", "memory"];

/**
 * Returns the effective requests or limits of a pod: the sum of its containers, or the largest init container if that
 * needs more.
 *
 * Sidecars (init containers with `restartPolicy: Always`) keep running, so they count in the sum, and for every init
 * container that starts after them. Pod-level resources override the computed value.
 */
export function podAmounts(pod: unknown, field: "limits" | "requests"): Map<string, Quantity> {
  const sum = new Map<string, Quantity>();
  for (const container of listAt(pod, "spec", "containers")) addAmounts(sum, amountsAt(container, "resources", field));
  const sidecars = new Map<string, Quantity>();
  const initPeak = new Map<string, Quantity>();
  for (const container of listAt(pod, "spec", "initContainers")) {
    const own = amountsAt(container, "resources", field);
    if (textAt(container, "restartPolicy") === "Always") {
      addAmounts(sum, own);
      addAmounts(sidecars, own);
      raiseAmounts(initPeak, sidecars);
    } else {
      addAmounts(own, sidecars);
      raiseAmounts(initPeak, own);
    }
  }
  raiseAmounts(sum, initPeak);
  const podLevel = amountsAt(valueAt(pod, "spec", "resources"), field);
  for (const [name, amount] of pick(podLevel, podLevelResources)) sum.set(name, amount);
  return sum;
}

/** Formats quantities for a message: `cpu=2,pods=1`. */
export function amountsText(amounts: Amounts): string {
  return [...amounts]
    .toSorted(([a], [b]) => (a < b ? -1 : Number(a > b)))
    .map(([name, amount]) => `${name}=${amount.canonical()}`)
    .join(",");
}
