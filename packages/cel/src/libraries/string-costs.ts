import type { CallCost } from "../cost/model.ts";
import type { Range } from "../types/cost-node.ts";
import { add, multiply, scale, unbounded } from "../cost/ranges.ts";
import { textFactor } from "../cost/rules.ts";
import { sizeOf } from "../values/size-of.ts";

/** Cost of `replace`: reads a string and creates another, whose size depends on the possible number of replacements. */
export const replacingCost: CallCost = {
  estimate: ({ target, args: [part, replacement] }, context) => {
    if (target === undefined || part === undefined || replacement === undefined) return undefined;
    const size = context.size(target);
    const resultSize = replacedSize(size, context.size(part), context.size(replacement));
    return { cost: scale(size, 2 * textFactor), resultSize };
  },
  track: ([text]) => (text === undefined ? undefined : Math.ceil(sizeOf(text) * 2 * textFactor)),
};

/** Cost of `split`: reads a string and creates at most one element per character, or a smaller literal count. */
export const splittingCost: CallCost = {
  estimate: ({ target, args: [, count] }, context) => {
    if (target === undefined) return undefined;
    const size = context.size(target);
    const literal = count?.literal;
    const max = typeof literal === "bigint" ? Number(BigInt.asUintN(64, literal)) : size.max;
    return { cost: scale(size, 2 * textFactor), resultSize: { min: 0, max } };
  },
  track: ([text]) => (text === undefined ? undefined : Math.ceil(sizeOf(text) * 2 * textFactor)),
};

/** Cost of `join`: creates a string of the size of all elements and separators. */
export const joiningCost: CallCost = {
  estimate: ({ target, args: [separator] }, context) => {
    if (target === undefined) return undefined;
    const count = context.size(target);
    const element = context.element(target);
    const texts = element === undefined ? { min: 0, max: 0 } : multiply(count, context.size(element));
    const gaps = { min: Math.max(count.min - 1, 0), max: Math.max(count.max - 1, 0) };
    const size = separator === undefined ? texts : add(texts, multiply(context.size(separator), gaps));
    return { cost: scale(size, textFactor), resultSize: size };
  },
  track: (_args, result) => Math.ceil(sizeOf(result) * 2 * textFactor),
};

/** Returns the size range of the result, from the fewest and shortest replacements to the most and longest. */
function replacedSize(size: Range, part: Range, replacement: Range): Range {
  const longest = replacements({ size: size.max, part: part.min, keepsSize: replacement.max <= part.min });
  const shortest = replacements({ size: size.min, part: part.max, keepsSize: part.max <= replacement.min });
  return {
    min: saturating(shortest.count * replacement.min + shortest.kept),
    max: saturating(longest.count * replacement.max + longest.kept),
  };
}

/** Returns the number of replacements at one end of the range, and the number of characters that stay. */
function replacements({ size, part, keepsSize }: { size: number; part: number; keepsSize: boolean }): {
  count: number;
  kept: number;
} {
  // An empty part matches before every character and at the end.
  if (part === 0) return { count: Math.min(size + 1, unbounded), kept: size };
  return keepsSize ? { count: 0, kept: size } : { count: Math.ceil(size / part), kept: 0 };
}

function saturating(size: number): number {
  return Math.min(size, unbounded);
}
