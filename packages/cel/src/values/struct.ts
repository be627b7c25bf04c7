import { EntryMap } from "./collections.ts";

/** An object that an expression made with `Name{...}`: a map that knows its type. */
export class CelStruct extends EntryMap {
  readonly typeName: string;

  constructor(typeName: string) {
    super();
    this.typeName = typeName;
  }
}
