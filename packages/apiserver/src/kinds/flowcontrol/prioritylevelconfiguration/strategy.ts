import { isSet, numberAt, textAt, valueAt } from "../../../values/fields.ts";
import { age, nameOf } from "../../../tables/cell-text.ts";
import { keptStatusMetadata } from "../../updates/kept-status-metadata.ts";
import type { KindStrategy } from "../../strategy.ts";

/** PriorityLevelConfigurations: status writes keep the stored metadata. */
export const priorityLevelConfigurationStrategy: KindStrategy = {
  group: "flowcontrol.apiserver.k8s.io",
  plural: "prioritylevelconfigurations",
  hasGeneration: true,
  defaults: {
    "flowcontrol.v1.ExemptPriorityLevelConfiguration": {
      values: { nominalConcurrencyShares: 0, lendablePercent: 0 },
    },
    "flowcontrol.v1.LimitedPriorityLevelConfiguration": {
      values: { nominalConcurrencyShares: 30, lendablePercent: 0 },
    },
    "flowcontrol.v1.QueuingConfiguration": { zeroValues: { handSize: 8, queues: 64, queueLengthLimit: 50 } },
  },
  status: keptStatusMetadata,
  table: { cells: priorityLevelCells },
};

function priorityLevelCells(object: unknown, nowMs: number): unknown[] {
  const limited = valueAt(object, "spec", "limited");
  const queuing = valueAt(limited, "limitResponse", "queuing");
  const shown = (part: unknown, field: string): unknown => (isSet(part) ? numberAt(part, field) : "<none>");
  return [
    nameOf(object),
    textAt(object, "spec", "type"),
    shown(limited, "nominalConcurrencyShares"),
    shown(queuing, "queues"),
    shown(queuing, "handSize"),
    shown(queuing, "queueLengthLimit"),
    age(object, nowMs),
  ];
}
