import { isRecord, type JsonRecord } from "@homeostat/core";
import { listAt } from "../../../values/fields.ts";
import type { TypeDefaults } from "../../defaulting/defaults.ts";
import { fill, partOf } from "../../defaulting/fill.ts";

const periodic = (type: string, amount: number): JsonRecord => ({ type, value: amount, periodSeconds: 15 });

function defaultAutoscalerSpec(value: JsonRecord): void {
  fill(value, { minReplicas: 1 });
  if (listAt(value, "metrics").length === 0) {
    const target = { type: "Utilization", averageUtilization: 80 };
    value["metrics"] = [{ type: "Resource", resource: { name: "cpu", target } }];
  }
  const behavior = value["behavior"];
  if (!isRecord(behavior)) return;
  fill(partOf(behavior, "scaleUp"), {
    stabilizationWindowSeconds: 0,
    selectPolicy: "Max",
    policies: [periodic("Pods", 4), periodic("Percent", 100)],
  });
  fill(partOf(behavior, "scaleDown"), { selectPolicy: "Max", policies: [periodic("Percent", 100)] });
}

/** Defaults of HorizontalPodAutoscalers in both versions. */
export const autoscalerDefaults: TypeDefaults = {
  "autoscaling.v2.HorizontalPodAutoscalerSpec": { rule: defaultAutoscalerSpec },
  "autoscaling.v1.HorizontalPodAutoscalerSpec": { rule: (spec) => fill(spec, { minReplicas: 1 }) },
};
