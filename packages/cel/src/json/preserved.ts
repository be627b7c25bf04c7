import { opaqueType, type OpaqueType } from "../types/type.ts";
import { CelOpaque, type CelValue } from "../values/value.ts";
import { jsonEqual } from "./json-equal.ts";

/**
 * Data that a schema preserves without describing it (`x-kubernetes-preserve-unknown-fields`).
 *
 * Expressions cannot access it, but it is compared when the objects that contain it are compared.
 */
export class PreservedValue extends CelOpaque {
  readonly type: OpaqueType = preservedType;
  readonly json: unknown;

  constructor(json: unknown) {
    super();
    this.json = json;
  }

  override equals(other: CelValue): boolean {
    return other instanceof PreservedValue && jsonEqual(this.json, other.json);
  }
}

const preservedType: OpaqueType = opaqueType("unknown", PreservedValue);
