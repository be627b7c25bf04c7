import type { CelValue } from "../values/value.ts";

interface Node {
  /** Unique within one expression, starting at 1. */
  readonly id: number;
  /** Offset in the source, in UTF-16 code units: that of the operator of an operation, otherwise of the first token. */
  readonly offset: number;
}

/** A literal of a scalar. */
export interface LiteralExpr extends Node {
  readonly kind: "literal";
  readonly value: CelValue;
}

/** An identifier. */
export interface IdentExpr extends Node {
  readonly kind: "ident";
  readonly name: string;
}

/** A field selection `operand.field`, or with `test` the presence test `has(operand.field)`. */
export interface SelectExpr extends Node {
  readonly kind: "select";
  readonly operand: Expr;
  readonly field: string;
  readonly test: boolean;
}

/** A call: `name(args)`, `target.name(args)`, or an operator such as `_+_`. */
export interface CallExpr extends Node {
  readonly kind: "call";
  readonly name: string;
  readonly target: Expr | undefined;
  readonly args: readonly Expr[];
}

/** A list literal. */
export interface ListExpr extends Node {
  readonly kind: "list";
  readonly elements: readonly Expr[];
  /** Indexes of the optional elements `?x`. */
  readonly optional: ReadonlySet<number>;
}

/** An entry of a map literal. */
export interface MapEntry {
  readonly id: number;
  readonly key: Expr;
  readonly value: Expr;
  readonly optional: boolean;
}

/** A map literal. */
export interface MapExpr extends Node {
  readonly kind: "map";
  readonly entries: readonly MapEntry[];
}

/** A field of an object literal. */
export interface FieldEntry {
  readonly id: number;
  readonly offset: number;
  readonly field: string;
  readonly value: Expr;
  readonly optional: boolean;
}

/** An object literal: `Name{field: value}`. */
export interface StructExpr extends Node {
  readonly kind: "struct";
  readonly name: string;
  readonly fields: readonly FieldEntry[];
}

/** A fold over a list or map. Created only by macros. */
export interface ComprehensionExpr extends Node {
  readonly kind: "comprehension";
  readonly range: Expr;
  /** The element of a list or the key of a map; with `variable2`, the index or the key. */
  readonly variable: string;
  /** The element of a list or the value of a map. */
  readonly variable2: string | undefined;
  readonly accumulator: string;
  readonly initial: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

/** A parsed expression. */
export type Expr =
  | LiteralExpr
  | IdentExpr
  | SelectExpr
  | CallExpr
  | ListExpr
  | MapExpr
  | StructExpr
  | ComprehensionExpr;
