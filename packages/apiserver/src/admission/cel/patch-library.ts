// Types that expressions of MutatingAdmissionPolicies construct: partial objects and JSON Patch operations.

import {
  type CelType,
  defineOverload,
  dynType,
  type Library,
  objectType,
  type ObjectType,
  stringType,
} from "@homeostat/cel";

/** Fields of any name and any type. */
class AnyFields extends Map<string, CelType> {
  override get(): CelType {
    return dynType;
  }

  override has(): boolean {
    return true;
  }
}

/** The type of a partial object: `Object{spec: Object.spec{...}}`. */
export const wholeObjectType: ObjectType = objectType("Object", new AnyFields());

/** The type of a JSON Patch operation: `JSONPatch{op: "add", ...}`. */
export const operationType: ObjectType = objectType(
  "JSONPatch",
  new Map<string, CelType>([
    ["op", stringType],
    ["path", stringType],
    ["from", stringType],
    ["value", dynType],
  ]),
);

/** Declares `Object` and the types below it, `JSONPatch`, and `jsonpatch.escapeKey`. */
export const patchLibrary: Library = {
  name: "kubernetes.jsonpatch",
  types: [operationType],
  typeNamed: (name) => (/^Object(?:\.[^.]+)*$/.test(name) ? objectType(name, new AnyFields()) : undefined),
  functions: [
    {
      name: "jsonpatch.escapeKey",
      overloads: [
        defineOverload({
          id: "string_jsonpatch_escapeKey_string",
          params: [stringType],
          result: stringType,
          implement: (key) => key.replace(/[~/]/g, (sign) => (sign === "~" ? "~0" : "~1")),
        }),
      ],
    },
  ],
};
