/** Rules of the strategic merge of one field, which Kubernetes declares with tags of its Go structs. */
export interface StrategicField {
  /** Type of the field, or of the elements of a list. */
  readonly type: StrategicType;
  /** `merge`, `replace` or empty. `retainKeys` is omitted, because the patch itself contains the keys to retain. */
  readonly strategy: string;
  /** Key by which elements of a list are merged; empty for primitive values. */
  readonly mergeKey: string;
}

/** The type of a JSON object, as far as a strategic merge patch needs it. */
export interface StrategicType {
  /** Kind of the type as Go's reflection names it: `struct`, `map`, `string`. */
  readonly goKind: string;
  /** Returns the rules of a key with an object as its value. Throws a `StrategicPatchError` if the type has no such key. */
  objectField(key: string): StrategicField;
  /** Returns the rules of a key with a list as its value. Throws a `StrategicPatchError` if its type is not a list. */
  listField(key: string): StrategicField;
}
