import type { KindStrategy } from "../../strategy.ts";
import { toAutoscalingV2, toAutoscalingV1 } from "./conversion.ts";
import { autoscalerDefaults } from "./defaults.ts";
import { autoscalerCells } from "./table.ts";

/** HorizontalPodAutoscalers, stored as `autoscaling/v2`. */
export const horizontalPodAutoscalerStrategy: KindStrategy = {
  group: "autoscaling",
  plural: "horizontalpodautoscalers",
  conversions: { v1: { fromStored: toAutoscalingV1, toStored: toAutoscalingV2 } },
  defaults: autoscalerDefaults,
  table: { cells: autoscalerCells },
};
