import type { SizeEstimator } from "../cost/sizes.ts";
import { escapeName } from "./names.ts";
import type { JsonShape } from "./shape.ts";

/**
 * How large the values of a shape can be, by the `maxElements` of its parts.
 *
 * It answers for every variable, because all variables of a rule (`self`, `oldSelf`) have the same shape.
 */
export function sizesOfShape(root: JsonShape): SizeEstimator {
  return (path) => {
    let max: number | undefined = root.maxElements ?? 0;
    let place: JsonShape | undefined = root;
    for (const step of path.slice(1)) {
      // Keys are texts without a limit of their own, which the API server takes for 0.
      if (step === "@keys" && place?.kind === "map") {
        max = 0;
        place = undefined;
        continue;
      }
      place = place && partOf(place, step);
      if (place === undefined) return undefined;
      max = place.maxElements ?? 0;
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
