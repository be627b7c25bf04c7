import type { CallCheck } from "../library.ts";
import type { Expr } from "../syntax/ast.ts";
import { runtimeName } from "../types/runtime-name.ts";
import type { CelType } from "../types/type.ts";
import { fillFormat, type FormatVerb } from "./format-clauses.ts";
import { unsupportedMessage, type ClauseKind } from "./format-messages.ts";
import { Malformed } from "./malformed.ts";

type Kinds = readonly CelType["kind"][];

const wholeKinds: Kinds = ["int", "uint"];
// The strings "NaN" and "Infinity" are accepted as doubles.
const doubleKinds: Kinds = ["double", "string"];
const textKinds: Kinds = ["string", "bytes"];
const shownKinds: Kinds = ["list", "map", "bool", "timestamp", "duration", "type", "null"];

const clauses: Readonly<Record<FormatVerb, { kind: ClauseKind; accepts: Kinds }>> = {
  s: { kind: "string", accepts: [...shownKinds, ...wholeKinds, ...doubleKinds, ...textKinds] },
  d: { kind: "decimal", accepts: wholeKinds },
  f: { kind: "fixed", accepts: doubleKinds },
  e: { kind: "scientific", accepts: doubleKinds },
  b: { kind: "binary", accepts: [...wholeKinds, "bool"] },
  x: { kind: "hex", accepts: [...wholeKinds, ...textKinds] },
  X: { kind: "hex", accepts: [...wholeKinds, ...textKinds] },
  o: { kind: "octal", accepts: wholeKinds },
};

/**
 * Checks a call of `format` with a literal format string and list of arguments: the clauses must be valid, match the number of
 * arguments, and support the types of the arguments.
 */
export const checkFormatCall: CallCheck = ([format, list], typeOf) => {
  if (format?.kind !== "literal" || typeof format.value !== "string" || list?.kind !== "list") return [];
  let unsupported: Expr | undefined;
  const filled = fillFormat(format.value, {
    count: list.elements.length,
    reportsEndFirst: true,
    fill: ({ verb }, index) => {
      const { kind, accepts } = clauses[verb];
      const argument = list.elements[index];
      if (argument === undefined) return "";
      unsupported = findUnsupported(argument, { typeOf, accepts, checksElements: verb === "s" });
      return unsupported === undefined ? "" : new Malformed(unsupportedMessage(kind, runtimeName(typeOf(unsupported))));
    },
  });
  if (filled instanceof Malformed) return [{ at: unsupported, message: filled.problem }];
  const given = list.elements.length;
  if (given <= filled.used) return [];
  const counts = `expected ${filled.used}, got ${given}`;
  return [{ at: undefined, message: `too many arguments supplied to string.format (${counts})` }];
};

interface Acceptance {
  readonly typeOf: (expr: Expr) => CelType;
  readonly accepts: Kinds;
  /** True to also check the elements of list and map literals. */
  readonly checksElements: boolean;
}

function findUnsupported(expr: Expr, acceptance: Acceptance): Expr | undefined {
  const { kind } = acceptance.typeOf(expr);
  if (kind !== "dyn" && !acceptance.accepts.includes(kind)) return expr;
  if (!acceptance.checksElements) return undefined;
  for (const part of literalParts(expr)) {
    const found = findUnsupported(part, acceptance);
    if (found !== undefined) return found;
  }
  return undefined;
}

function literalParts(expr: Expr): readonly Expr[] {
  if (expr.kind === "list") return expr.elements;
  return expr.kind === "map" ? expr.entries.flatMap(({ key, value }) => [key, value]) : [];
}
