// Compilation and evaluation
export { createEnvironment, type Environment, type EnvironmentOptions } from "./environment.ts";
export type { Bindings, EvaluateOptions, Program } from "./program.ts";

// Errors
export { CelCompileError, CelEvaluationError, type CelIssue, type CompileFailure } from "./errors.ts";
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
export { CelStruct } from "./values/struct.ts";
export { formatValue } from "./values/format.ts";
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
export { sizesOfShape } from "./json/sizes.ts";
export { escapeName } from "./json/names.ts";
export {
  typeOfShape,
  type JsonShape,
  type ListShape,
  type MapShape,
  type ObjectShape,
  type ScalarShape,
} from "./json/shape.ts";

// Patterns
export { compilePattern, type Pattern } from "./pattern/pattern.ts";

// String formats and quoting, shared with @homeostat/schema
export { parseIpAddress, type IpAddress } from "./libraries/ip-address.ts";
export { type IpPrefix, parseIpPrefix, prefixContainsPrefix } from "./libraries/ip-prefix.ts";
export { Malformed } from "./libraries/malformed.ts";
export { quote } from "./libraries/go-quote.ts";
export { isBase64, isDate, isDateTime, isUri, isUuid } from "./libraries/openapi-formats.ts";

// Libraries
export {
  defineOverload,
  type CallCheck,
  type CallProblem,
  type ConstantDeclaration,
  type FunctionDeclaration,
  type Library,
  type Overload,
} from "./library.ts";
export { kubernetesLibraries } from "./libraries/kubernetes.ts";

// Cost
export type { SizeEstimator } from "./cost/estimate.ts";
export { exactly as exactRange } from "./cost/ranges.ts";
export type { CallCost, CallEstimate, CostContext, EstimatedCall } from "./cost/model.ts";
export type { CostNode, Range } from "./types/cost-node.ts";

// Syntax trees, for macros
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
