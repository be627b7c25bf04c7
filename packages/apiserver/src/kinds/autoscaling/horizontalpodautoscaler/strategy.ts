import type { KindStrategy } from "../../strategy.ts";
import { newerAutoscaler, olderAutoscaler } from "./conversion.ts";
import { autoscalerDefaults } from "./defaults.ts";
import { autoscalerCells } from "./table.ts";

/** HorizontalPodAutoscalers, stored as `autoscaling/v2`. */
export const horizontalPodAutoscalerStrategy: KindStrategy = {
  group: "autoscaling",
  plural: "horizontalpodautoscalers",
  conversions: { v1: { fromStored: olderAutoscaler, toStored: newerAutoscaler } },
  defaults: autoscalerDefaults,
  table: { cells: autoscalerCells },
};
