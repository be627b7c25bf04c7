// All operators of this repository, for the suites that every operator must pass.

import { chronikOperator } from "@homeostat/chronik-operator";
import { locustOperator, readSettings } from "@homeostat/locust-operator";
import type { Operator, OperatorSettings } from "@homeostat/operator";
import { sandboxOperator } from "@homeostat/sandbox-operator";
import { tenantOperator } from "@homeostat/tenant-operator";

/** An operator and its parameters for the conformance suites. */
export interface TestedOperator {
  readonly operator: Operator;
  /** Namespace of the installation. */
  readonly namespace: string;
  /** Settings of the installation and the equivalent chart values. */
  readonly settings?: { readonly settings: OperatorSettings; readonly values: string } | undefined;
}

/** All operators by their folders in `operators/`. */
export const operators: Readonly<Record<string, TestedOperator>> = {
  chronik: {
    operator: chronikOperator(),
    namespace: "chronik-operator-system",
  },
  locust: {
    operator: locustOperator(readSettings({})),
    namespace: "locust-system",
  },
  sandbox: {
    operator: sandboxOperator(),
    namespace: "sandbox-system",
  },
  tenant: {
    operator: tenantOperator(),
    namespace: "neurallog-system",
    settings: {
      settings: { maxConcurrentReconciles: 8, resyncInterval: 600_000 },
      values: "settings.maxConcurrentReconciles=8,settings.resyncInterval=10m0s",
    },
  },
};
