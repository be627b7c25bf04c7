// Extras that several operators share.

import type { KubeObject } from "@homeostat/core";
import type { Extra, InstallationContext } from "../installation/extra.ts";

/** A Prometheus alert. */
export interface Alert {
  readonly name: string;
  /** A PromQL expression; the alert fires while it has a result. */
  readonly expr: string;
  /** The time for which the expression must have a result before the alert fires. Default: `0m`. */
  readonly for?: string;
  /** Default: `warning`. */
  readonly severity?: "warning" | "critical";
  readonly summary: string;
  /** Details for the operator on call: where to look, and what to do. */
  readonly description: string;
}

/** A PrometheusRule, the custom resource of the Prometheus operator. */
export interface PrometheusRule extends KubeObject {
  readonly spec: {
    readonly groups: readonly {
      readonly name: string;
      readonly rules: readonly {
        readonly alert: string;
        readonly expr: string;
        readonly for: string;
        readonly labels: { readonly severity: string };
        readonly annotations: { readonly summary: string; readonly description: string };
      }[];
    }[];
  };
}

/** Returns an extra with alerts as a PrometheusRule. Off by default, because the CRD may not be installed. */
export function alertsExtra(group: string, alerts: (place: InstallationContext) => readonly Alert[]): Extra {
  return {
    help: "alerts for the Prometheus operator",
    default: false,
    objects(place): PrometheusRule[] {
      const { instance, namespace } = place;
      const rules = alerts(place).map(({ name, expr, for: time = "0m", severity = "warning", ...annotations }) => ({
        alert: name,
        expr,
        for: time,
        labels: { severity },
        annotations,
      }));
      const spec = { groups: [{ name: group, rules }] };
      const metadata = { name: instance, namespace };
      return [{ apiVersion: "monitoring.coreos.com/v1", kind: "PrometheusRule", metadata, spec }];
    },
  };
}
