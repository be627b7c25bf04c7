// Compiling and evaluating
export type { Environment, EnvironmentOptions, Program, SizeEstimator } from "./environment.ts";

// Errors
export { CelCompileError, CelEvaluationError, type CelIssue } from "./errors.ts";
export { CelFailure, failure, noSuchOverload } from "./failure.ts";

// Types
export {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  nullType,
  objectType,
  opaqueType,
  optionalType,
  stringType,
  timestampType,
  typeOfType,
  typeParameter,
  typeType,
  uintType,
  type CelType,
  type ListType,
  type MapType,
  type ObjectType,
  type OpaqueType,
  type OptionalType,
  type ParameterType,
  type SimpleKind,
  type SimpleType,
  type TypeType,
  type ValueOf,
} from "./types/type.ts";
export { formatType } from "./types/format.ts";

// Values
export { elementsOf, listOf, mapOf } from "./values/collections.ts";
export { CelDuration } from "./values/duration.ts";
export { equals } from "./values/equality.ts";
export { formatValue } from "./values/format.ts";
export { compare, isOrdered } from "./values/ordering.ts";
export { sizeOf } from "./values/size-of.ts";
export { typeNameOf } from "./values/type-of.ts";
export { CelTimestamp } from "./values/timestamp.ts";
export {
  CelList,
  CelMap,
  CelOpaque,
  CelOptional,
  CelTypeValue,
  CelUint,
  type CelResult,
  type CelValue,
} from "./values/value.ts";

// JSON as values
export { fromJson } from "./json/from-json.ts";
export { escapeName, unescapeName } from "./json/names.ts";
export {
  dynShape,
  typeOfShape,
  type JsonShape,
  type ListShape,
  type MapShape,
  type ObjectShape,
  type ScalarShape,
} from "./json/shape.ts";

// Libraries
export {
  defineOverload,
  type ConstantDeclaration,
  type FunctionDeclaration,
  type Library,
  type Overload,
} from "./library.ts";
export type { CallCost, CallEstimate, CostContext, CostNode, EstimatedCall, Range } from "./cost/model.ts";
export type {
  CallExpr,
  ComprehensionExpr,
  Expr,
  FieldEntry,
  IdentExpr,
  ListExpr,
  LiteralExpr,
  MapEntry,
  MapExpr,
  SelectExpr,
  StructExpr,
} from "./syntax/ast.ts";
export { MacroProblem, type ComprehensionParts, type ExprFactory, type MacroDeclaration } from "./syntax/macro.ts";
