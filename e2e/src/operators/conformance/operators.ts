// Every operator of this repository, for the suites that all of them share.

import { locustOperator, readSettings } from "@homeostat/locust-operator";
import type { Operator, OperatorSettings } from "@homeostat/operator";
import { tenantOperator } from "@homeostat/tenant-operator";

/** An operator, and what the shared suites need to know about it. */
export interface TestedOperator {
  readonly operator: Operator;
  /** The namespace that it is installed in. */
  readonly namespace: string;
  /** How many crash scenarios its own tests have. */
  readonly crashScenarios: number;
  /** Settings to install it with, and the values of the chart that mean the same. */
  readonly settings?: { readonly settings: OperatorSettings; readonly values: string } | undefined;
}

/** All operators, by their folders in `operators/`. */
export const operators: Readonly<Record<string, TestedOperator>> = {
  locust: {
    operator: locustOperator(readSettings({})),
    namespace: "locust-system",
    crashScenarios: 9,
  },
  tenant: {
    operator: tenantOperator(),
    namespace: "neurallog-system",
    crashScenarios: 7,
    settings: {
      settings: { maxConcurrentReconciles: 8, resyncInterval: 600_000 },
      values: "settings.maxConcurrentReconciles=8,settings.resyncInterval=10m0s",
    },
  },
};
