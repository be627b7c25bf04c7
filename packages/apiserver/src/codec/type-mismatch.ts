import { DecodeError } from "./decode-error.ts";

/** The field of a mismatch, as Go's errors name it. */
export interface FieldLocation {
  /** Name of the Go struct that has the field; empty at the root. */
  readonly struct: string;
  /** Names of the fields on the path, without list indexes and map keys. */
  readonly fields: readonly string[];
}

/** Thrown if a value has another JSON type than its field. */
export class TypeMismatch extends DecodeError {
  readonly value: string;
  readonly typeName: string;
  readonly location: FieldLocation;

  /** `value` is what was found: `string`, `number 1.5`; `typeName` is the expected Go type. */
  constructor(value: string, typeName: string, location: FieldLocation) {
    const target =
      location.struct === "" && location.fields.length === 0
        ? "Go value"
        : `Go struct field ${location.struct}.${location.fields.join(".")}`;
    super(`json: cannot unmarshal ${value} into ${target} of type ${typeName}`);
    this.value = value;
    this.typeName = typeName;
    this.location = location;
  }

  /** Returns the same mismatch, located inside an outer value. */
  within(outer: FieldLocation): TypeMismatch {
    if (outer.struct === "" && outer.fields.length === 0) return this;
    return new TypeMismatch(this.value, this.typeName, {
      struct: outer.struct,
      fields: [...outer.fields, ...this.location.fields],
    });
  }
}
