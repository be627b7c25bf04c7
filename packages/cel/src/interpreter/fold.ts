import { CelFailure, failure } from "../failure.ts";
import { GrowingList, GrowingMap } from "../values/collections.ts";
import { goTypeName } from "../values/go-type-name.ts";
import { CelList, CelMap, type CelResult } from "../values/value.ts";
import type { Frame, Step } from "./frame.ts";

/** The planned parts of a comprehension. */
export interface FoldSteps {
  readonly range: Step;
  readonly condition: Step;
  readonly step: Step;
  readonly result: Step;
  /** Slots of the iteration variables and the accumulator in the frame. */
  readonly slots: { readonly variable: number; readonly variable2: number | undefined; readonly accumulator: number };
}

/** Returns the step that folds over a list or map. */
export function planFold(fold: FoldSteps): Step {
  const { slots } = fold;
  return (frame) => {
    const range = fold.range(frame);
    if (range instanceof CelFailure) return range;
    frame.slots[slots.accumulator] = undefined;
    if (slots.variable2 === undefined) {
      if (!(range instanceof CelList || range instanceof CelMap)) {
        return failure(`got '${goTypeName(range)}', expected iterable type`);
      }
      overElements(frame, fold, range);
    } else {
      if (!(range instanceof CelList || range instanceof CelMap)) {
        return failure(`unsupported comprehension range type: ${goTypeName(range)}`);
      }
      overEntries(frame, fold, range, slots.variable2);
    }
    return finished(fold.result(frame));
  };
}

function overElements(frame: Frame, fold: FoldSteps, range: CelList | CelMap): void {
  const { variable } = fold.slots;
  if (range instanceof CelMap) {
    for (const key of range.keys()) {
      frame.slots[variable] = key;
      if (!advance(frame, fold)) return;
    }
    return;
  }
  for (let index = 0; index < range.size; index++) {
    frame.slots[variable] = range.at(index);
    if (!advance(frame, fold)) return;
  }
}

function overEntries(frame: Frame, fold: FoldSteps, range: CelList | CelMap, variable2: number): void {
  const { variable } = fold.slots;
  if (range instanceof CelMap) {
    for (const key of range.keys()) {
      frame.slots[variable] = key;
      frame.slots[variable2] = range.find(key) ?? null;
      if (!advance(frame, fold)) return;
    }
    return;
  }
  for (let index = 0; index < range.size; index++) {
    frame.slots[variable] = BigInt(index);
    frame.slots[variable2] = range.at(index);
    if (!advance(frame, fold)) return;
  }
}

/** Runs one iteration. Returns false if the condition ends the fold. An error of the condition does not end it. */
function advance(frame: Frame, fold: FoldSteps): boolean {
  if (fold.condition(frame) === false) return false;
  frame.slots[fold.slots.accumulator] = fold.step(frame);
  return true;
}

/** Returns the initial value of an accumulator. An empty list or map is replaced by one that can be extended in place. */
export function initialAccumulator(value: CelResult): CelResult {
  if (value instanceof CelList && value.size === 0) return new GrowingList([]);
  if (value instanceof CelMap && value.size === 0) return new GrowingMap();
  return value;
}

function finished(value: CelResult): CelResult {
  return value instanceof GrowingList ? value.finish() : value;
}
