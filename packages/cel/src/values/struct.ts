import { EntryMap } from "./collections.ts";

/** An object that an expression created with `Name{...}`: a map with a type name. */
export class CelStruct extends EntryMap {
  readonly typeName: string;

  constructor(typeName: string) {
    super();
    this.typeName = typeName;
  }
}
