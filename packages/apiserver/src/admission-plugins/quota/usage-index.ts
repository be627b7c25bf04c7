import { type Clock, isEqual, type JsonRecord, type Quantity } from "@homeostat/core";
import { keyPrefix, namespacePrefix } from "../../resources/keys.ts";
import type { Store } from "../../storage/store.ts";
import { listAt, textAt, valueAt } from "../../values/fields.ts";
import { addAmounts, type Amounts } from "../../admission/resource-lists.ts";
import { isInScope } from "./scopes.ts";
import { usageOf } from "./usage.ts";

/** Objects of one resource in one namespace, as a quota measures them. */
export interface MeasuredObjects {
  readonly quota: unknown;
  readonly namespace: string;
  /** `pods`, `deployments.apps`. */
  readonly resource: string;
}

/** The usage of the objects of one resource in one namespace, for quotas with the same scopes. */
interface UsageSum extends MeasuredObjects {
  readonly total: Map<string, Quantity>;
  readonly parts: Map<string, Amounts>;
  /**
   * Keys of objects that are being deleted. Their usage must be computed on every read, because a pod no longer counts
   * after its grace period, and no write marks that moment.
   */
  readonly deleting: Set<string>;
}

const quotaPrefix = keyPrefix("", "resourcequotas");

/**
 * Sums of the usage of objects, updated with every write, so that a quota is checked without reading all objects of its
 * namespace.
 *
 * A sum is built when a quota first needs it, and dropped when a quota of its namespace changes.
 */
export class UsageIndex implements Disposable {
  readonly #store: Store<JsonRecord>;
  readonly #clock: Pick<Clock, "now">;
  /** By the key prefix of the measured objects, and by the scopes of the quota. */
  readonly #sums = new Map<string, Map<string, UsageSum>>();
  readonly #stop: () => void;

  constructor(store: Store<JsonRecord>, clock: Pick<Clock, "now">) {
    this.#store = store;
    this.#clock = clock;
    this.#stop = store.observe(({ key, before, after }) => {
      const folder = key.slice(0, key.lastIndexOf("/") + 1);
      if (key.startsWith(quotaPrefix)) {
        const [old, next] = [before, after].map((entry) => entry && store.read(entry)["spec"]);
        // Most writes to quotas change only their status, which does not affect the sums.
        if (!isEqual(old, next)) this.#drop(folder.slice(quotaPrefix.length));
      }
      const sums = this.#sums.get(folder);
      if (sums === undefined) return;
      const object = after === undefined ? undefined : store.read(after);
      for (const sum of sums.values()) this.#set(sum, key, object);
    });
  }

  /** Returns the usage of the measured objects, by the names in quotas. */
  used(measured: MeasuredObjects): Amounts {
    const sum = this.#sumOf(measured);
    // Iterate over a copy, because #set adds an object that is still being deleted again.
    const deleting = [...sum.deleting];
    for (const key of deleting) {
      const entry = this.#store.get(key);
      this.#set(sum, key, entry === undefined ? undefined : this.#store.read(entry));
    }
    return sum.total;
  }

  [Symbol.dispose](): void {
    this.#stop();
  }

  #sumOf({ quota, namespace, resource }: MeasuredObjects): UsageSum {
    const [plural = "", ...group] = resource.split(".");
    const prefix = namespacePrefix(keyPrefix(group.join("."), plural), namespace);
    const sums = this.#sums.get(prefix) ?? new Map<string, UsageSum>();
    this.#sums.set(prefix, sums);
    const scopes = JSON.stringify([listAt(quota, "spec", "scopes"), valueAt(quota, "spec", "scopeSelector")]);
    const existing = sums.get(scopes);
    if (existing !== undefined) return existing;
    const created: UsageSum = { quota, namespace, resource, total: new Map(), parts: new Map(), deleting: new Set() };
    sums.set(scopes, created);
    const store = this.#store;
    for (const entry of store.view().entries({ prefix })) this.#set(created, entry.key, store.read(entry));
    return created;
  }

  #set(sum: UsageSum, key: string, object: JsonRecord | undefined): void {
    const { quota, resource, total, parts, deleting } = sum;
    for (const [name, amount] of parts.get(key) ?? []) {
      const before = total.get(name);
      if (before !== undefined) total.set(name, before.sub(amount));
    }
    parts.delete(key);
    deleting.delete(key);
    if (object === undefined || !isInScope(quota, resource, object)) return;
    const use = usageOf(resource, object, this.#clock.now());
    parts.set(key, use);
    addAmounts(total, use);
    if (textAt(object, "metadata", "deletionTimestamp") !== "") deleting.add(key);
  }

  #drop(namespaceFolder: string): void {
    for (const prefix of this.#sums.keys()) {
      const folder = prefix.slice(prefix.indexOf("/", prefix.indexOf("/") + 1) + 1);
      if (folder === namespaceFolder) this.#sums.delete(prefix);
    }
  }
}
