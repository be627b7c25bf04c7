import type { SizeEstimator } from "../cost/sizes.ts";
import { escapeName } from "./names.ts";
import type { JsonShape } from "./shape.ts";

/**
 * Returns a size estimator for values of a shape, based on the `maxElements` of its parts.
 *
 * It ignores the name of the variable, because all variables of a rule (`self`, `oldSelf`) have the same shape.
 */
export function sizesOfShape(root: JsonShape): SizeEstimator {
  return (path) => {
    let max: number | undefined = root.maxElements ?? 0;
    let shapeAt: JsonShape | undefined = root;
    for (const step of path.slice(1)) {
      // Map keys have no length limit in a schema; the API server estimates their size as 0.
      if (step === "@keys" && shapeAt?.kind === "map") {
        max = 0;
        shapeAt = undefined;
        continue;
      }
      shapeAt = shapeAt && partOf(shapeAt, step);
      if (shapeAt === undefined) return undefined;
      max = shapeAt.maxElements ?? 0;
    }
    return { min: 0, max };
  };
}

function partOf(shape: JsonShape, step: string): JsonShape | undefined {
  if (shape.kind === "list" && (step === "@items" || step === "@values")) return shape.items;
  if (shape.kind === "map" && (step === "@items" || step === "@values")) return shape.values;
  if (shape.kind !== "object") return undefined;
  for (const [property, part] of shape.properties) {
    if (escapeName(property) === step) return part.kind === "preserved" ? undefined : part;
  }
  return undefined;
}
