import { isRecord } from "@homeostat/core";
import { additionalSchema, type SchemaNode } from "../structural/node.ts";
import { equalJson } from "../value/equal.ts";
import { hasKey } from "../value/record.ts";
import { findByKeys, keysIndex, type KeysIndex } from "./list-keys.ts";

/**
 * A value of the updated object together with its counterpart in the old object, and the schema of both. Used for ratcheting.
 *
 * Counterparts exist for declared properties, map values, and items of lists of type `map` (by their keys). Items of other lists
 * have none. Children are cached, because several checks ask for the same ones.
 */
export class Correlation {
  readonly value: unknown;
  readonly old: unknown;
  private readonly node: SchemaNode;
  private readonly children = new Map<string | number, Correlation>();
  private same: boolean | undefined;
  private index: KeysIndex | undefined;

  constructor(node: SchemaNode, value: unknown, old: unknown) {
    this.node = node;
    this.value = value;
    this.old = old;
  }

  /** Returns the correlation of a property or map key; undefined if either side lacks it or the schema does not describe it. */
  key(name: string): Correlation | undefined {
    const known = this.children.get(name);
    if (known !== undefined) return known;
    if (!isRecord(this.value) || !isRecord(this.old)) return undefined;
    if (!hasKey(this.value, name) || !hasKey(this.old, name)) return undefined;
    const node = this.node.properties.get(name) ?? additionalSchema(this.node);
    return node && this.keep(name, new Correlation(node, this.value[name], this.old[name]));
  }

  /** Returns the correlation of an item with the old item that has the same keys; undefined if there is none. */
  element(index: number): Correlation | undefined {
    const known = this.children.get(index);
    if (known !== undefined) return known;
    const { node, value, old } = this;
    if (!Array.isArray(value) || !Array.isArray(old) || node.listType !== "map") return undefined;
    this.index ??= keysIndex(old, node.listMapKeys);
    const element: unknown = value[index];
    const counterpart = findByKeys(this.index, element, node.listMapKeys);
    if (counterpart === undefined || node.items === undefined) return undefined;
    return this.keep(index, new Correlation(node.items, element, counterpart));
  }

  /** Reports whether the value is unchanged. The order of items in a list of type `map` does not matter. */
  isUnchanged(): boolean {
    this.same ??= this.compare();
    return this.same;
  }

  private compare(): boolean {
    const { value, old } = this;
    if (Array.isArray(value) && Array.isArray(old)) {
      if (value.length !== old.length) return false;
      if (this.node.listType !== "map") return equalJson(value, old);
      return value.every((_, index) => this.element(index)?.isUnchanged() === true);
    }
    if (isRecord(value) && isRecord(old)) {
      const keys = Object.keys(value);
      // Fields that the schema does not describe have no correlation and count as changed.
      return keys.length === Object.keys(old).length && keys.every((key) => this.key(key)?.isUnchanged() === true);
    }
    return equalJson(value, old);
  }

  private keep(key: string | number, child: Correlation): Correlation {
    this.children.set(key, child);
    return child;
  }
}
