import { DecodeError } from "./decode-error.ts";

/** Where a mismatch was found. */
export interface Place {
  /** The name of the Go struct that has the field; empty at the root. */
  readonly struct: string;
  /** The fields on the way there, without list indexes and map keys. */
  readonly fields: readonly string[];
}

/** Thrown when a value has another JSON type than its field. */
export class TypeMismatch extends DecodeError {
  readonly value: string;
  readonly typeName: string;
  readonly place: Place;

  /** `value` says what was found: `string`, `number 1.5`; `typeName` is Go's name of what was wanted. */
  constructor(value: string, typeName: string, place: Place) {
    const target =
      place.struct === "" && place.fields.length === 0
        ? "Go value"
        : `Go struct field ${place.struct}.${place.fields.join(".")}`;
    super(`json: cannot unmarshal ${value} into ${target} of type ${typeName}`);
    this.value = value;
    this.typeName = typeName;
    this.place = place;
  }

  /** The same mismatch, found inside a value that reads itself. */
  within(outer: Place): TypeMismatch {
    if (outer.struct === "" && outer.fields.length === 0) return this;
    return new TypeMismatch(this.value, this.typeName, {
      struct: outer.struct,
      fields: [...outer.fields, ...this.place.fields],
    });
  }
}
