// Grafana dashboards as data. The JSON is what Grafana's import page and its dashboard sidecar accept.

import type { ConfigMap } from "@homeostat/kubernetes/core/v1";
import type { Extra, InstallationContext } from "../installation/extra.ts";

/** A graph of a dashboard. */
export interface Panel {
  readonly title: string;
  /** Explains the graph: what is normal, and where to look when it is not. */
  readonly description: string;
  /** PromQL expressions with the legend of their series: `{{component}}`. */
  readonly queries: readonly { readonly expr: string; readonly legend: string }[];
  /** Unit of Grafana: `s`, `reqps`, `percentunit`. Default: a plain number. */
  readonly unit?: string;
}

/** A Grafana dashboard. */
export interface Dashboard {
  readonly title: string;
  readonly panels: readonly Panel[];
}

const columns = 2;
const size = { w: 12, h: 8 } as const;
const datasource = { type: "prometheus", uid: "${datasource}" } as const;

/**
 * Returns an extra with a dashboard: a ConfigMap with the label that Grafana's sidecar looks for. Off by default, because most clusters
 * have no sidecar.
 */
export function dashboardExtra(dashboard: (place: InstallationContext) => Dashboard): Extra {
  return {
    help: "a Grafana dashboard as a ConfigMap for Grafana's sidecar",
    default: false,
    objects(place): ConfigMap[] {
      const { instance, namespace } = place;
      const name = `${instance}-dashboard`;
      const data = {
        [`${instance}.json`]: `${JSON.stringify(grafanaDashboard(instance, dashboard(place)), null, 2)}\n`,
      };
      const metadata = { name, namespace, labels: { grafana_dashboard: "1" } };
      return [{ apiVersion: "v1", kind: "ConfigMap", metadata, data }];
    },
  };
}

/** Returns panels about the reconciles, queue and requests of a controller, which every operator has. */
export function controllerPanels(controller: string): readonly Panel[] {
  const own = `{controller="${controller}"}`;
  return [
    {
      title: "Reconciles by result",
      description: "Errors are retried. A steady rate of errors is explained by the status of the objects and the log.",
      unit: "ops",
      queries: [{ expr: `sum by (result) (rate(controller_runtime_reconcile_total${own}[5m]))`, legend: "{{result}}" }],
    },
    {
      title: "Duration of reconciles",
      description: "Most of a reconcile is waiting for the API server.",
      unit: "s",
      queries: [0.5, 0.99].map((quantile) => ({
        expr: `histogram_quantile(${quantile}, sum by (le) (rate(controller_runtime_reconcile_time_seconds_bucket${own}[5m])))`,
        legend: `quantile ${quantile}`,
      })),
    },
    {
      title: "Queue",
      description: "Objects that wait for a worker, and the time for which the oldest one is being reconciled.",
      queries: [
        { expr: `sum(workqueue_depth${own})`, legend: "waiting objects" },
        { expr: `max(workqueue_longest_running_processor_seconds${own})`, legend: "longest reconcile (s)" },
      ],
    },
    {
      title: "Requests to the API server",
      description:
        "An idle operator sends almost none. Status 409 is a conflict with another writer, 429 an overloaded server.",
      unit: "reqps",
      queries: [
        { expr: "sum by (method, code) (rate(rest_client_requests_total[5m]))", legend: "{{method}} {{code}}" },
      ],
    },
    {
      title: "Process",
      description: "Memory and CPU of the operator.",
      queries: [
        { expr: "max(process_resident_memory_bytes) / 1024 / 1024", legend: "memory (MiB)" },
        { expr: "sum(rate(process_cpu_seconds_total[5m])) * 100", legend: "CPU (% of a core)" },
      ],
    },
  ];
}

function grafanaDashboard(uid: string, { title, panels }: Dashboard): object {
  return {
    uid,
    title,
    tags: ["homeostat"],
    schemaVersion: 39,
    version: 1,
    editable: true,
    refresh: "30s",
    time: { from: "now-6h", to: "now" },
    templating: {
      list: [{ name: "datasource", type: "datasource", query: "prometheus", label: "Data source", current: {} }],
    },
    panels: panels.map((panel, index) => grafanaPanel(panel, index)),
  };
}

function grafanaPanel({ title, description, unit = "short", queries }: Panel, index: number): object {
  return {
    id: index + 1,
    type: "timeseries",
    title,
    description,
    datasource,
    gridPos: { ...size, x: (index % columns) * size.w, y: Math.floor(index / columns) * size.h },
    fieldConfig: { defaults: { unit, min: 0, custom: { lineWidth: 1, fillOpacity: 10 } }, overrides: [] },
    options: { legend: { displayMode: "list", placement: "bottom" }, tooltip: { mode: "multi" } },
    targets: queries.map(({ expr, legend }, query) => ({
      refId: String.fromCodePoint(65 + query),
      datasource,
      expr,
      legendFormat: legend,
    })),
  };
}
