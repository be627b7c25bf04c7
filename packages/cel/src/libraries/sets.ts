import type { CallCost } from "../cost/model.ts";
import { add, exactly, multiply, scale } from "../cost/ranges.ts";
import { CelFailure } from "../failure.ts";
import { defineLibrary, defineOverload, type FunctionDeclaration, type Library } from "../library.ts";
import { contains } from "../standard/collections.ts";
import { boolType, listType, typeParameter } from "../types/type.ts";
import { sizeOf } from "../values/size-of.ts";
import type { CelList } from "../values/value.ts";

/** The library of lists as sets: `sets.contains`, `sets.equivalent` and `sets.intersects`. */
export const setLibrary: Library = defineLibrary({
  name: "cel.lib.ext.sets",
  functions: () => [
    setFunction("contains", 1, containsAll),
    setFunction("intersects", 1, intersects),
    setFunction("equivalent", 2, (left, right) => {
      const covers = containsAll(left, right);
      return covers === true ? containsAll(right, left) : covers;
    }),
  ],
});

function setFunction(
  name: string,
  factor: number,
  implement: (left: CelList, right: CelList) => boolean | CelFailure,
): FunctionDeclaration {
  const list = listType(typeParameter("T"));
  return {
    name: `sets.${name}`,
    overloads: [
      defineOverload({
        id: `list_sets_${name}_list`,
        params: [list, list],
        result: boolType,
        implement,
        cost: pairingCost(factor),
      }),
    ],
  };
}

/** Returns the cost of comparing every element of one list with every element of the other. */
function pairingCost(factor: number): CallCost {
  return {
    estimate: ({ args: [left, right] }, context) => {
      if (left === undefined || right === undefined) return undefined;
      return { cost: add(scale(multiply(context.size(left), context.size(right)), factor), exactly(1)) };
    },
    track: ([left, right]) =>
      left === undefined || right === undefined ? undefined : 1 + sizeOf(left) * sizeOf(right) * factor,
  };
}

function containsAll(list: CelList, part: CelList): boolean | CelFailure {
  for (let index = 0; index < part.size; index++) {
    const element = part.at(index);
    const found = element instanceof CelFailure ? element : contains(element, list);
    if (found !== true) return found;
  }
  return true;
}

function intersects(left: CelList, right: CelList): boolean {
  for (let index = 0; index < left.size; index++) {
    const element = left.at(index);
    if (!(element instanceof CelFailure) && contains(element, right) === true) return true;
  }
  return false;
}
