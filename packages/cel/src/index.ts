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
export { sizesOfShape } from "./json/sizes.ts";
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

// Patterns
export { compilePattern, type Pattern, patternLengthMax } from "./pattern/pattern.ts";

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
export { enabledLibraries, type EnabledLibrary, kubernetesLibraries } from "./libraries/kubernetes.ts";
export { optionalLibrary } from "./standard/optionals.ts";
export { twoVariableLibrary } from "./standard/two-variable.ts";

// Cost
export type { SizeEstimator } from "./cost/estimate.ts";
export {
  add as addRanges,
  exactly as exactRange,
  multiply as multiplyRanges,
  scale as scaleRange,
  unbounded,
  union as uniteRanges,
  unknownRange,
} from "./cost/ranges.ts";
export { listCost, mapCost, objectCost, patternFactor, textFactor } from "./cost/rules.ts";
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
