import { defineLibrary, type Library } from "../library.ts";
import { standardMacros } from "../syntax/macros.ts";
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  intType,
  listType,
  mapType,
  nullType,
  stringType,
  timestampType,
  typeParameter,
  typeType,
  uintType,
} from "../types/type.ts";
import { arithmeticFunctions } from "./arithmetic.ts";
import { collectionFunctions } from "./collections.ts";
import { comparisonFunctions } from "./comparison.ts";
import { conversionFunctions } from "./conversion.ts";
import { logicFunctions } from "./logic.ts";
import { textFunctions } from "./text.ts";
import { timeFunctions } from "./time.ts";

/** The standard library of every environment: operators, conversions, standard functions and macros. */
export const standardLibrary: Library = defineLibrary({
  name: "standard",
  functions: () => [
    ...logicFunctions(),
    ...arithmeticFunctions(),
    ...comparisonFunctions(),
    ...collectionFunctions(),
    ...conversionFunctions(),
    ...textFunctions(),
    ...timeFunctions(),
  ],
  macros: standardMacros,
  typeNames: [
    { name: "bool", type: boolType },
    { name: "bytes", type: bytesType },
    { name: "double", type: doubleType },
    { name: "google.protobuf.Duration", type: durationType },
    { name: "google.protobuf.Timestamp", type: timestampType },
    { name: "int", type: intType },
    { name: "list", type: listType(typeParameter("A")) },
    { name: "map", type: mapType(typeParameter("A"), typeParameter("B")) },
    { name: "null_type", type: nullType },
    { name: "string", type: stringType },
    { name: "type", type: typeType },
    { name: "uint", type: uintType },
  ],
});
