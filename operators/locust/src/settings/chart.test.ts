import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { defineOperator, operatorChart } from "@homeostat/operator";
import { chartVariables } from "./chart.ts";
import { readSettings } from "./settings.ts";

const environment = Object.fromEntries(
  chartVariables.flatMap((each) => ("secret" in each ? [] : [[each.variable, String(each.default)]])),
);

describe("the values of the chart", () => {
  it("produce a configuration without warnings", () => {
    assert.deepEqual(readSettings(environment).warnings, []);
  });

  it("differ from the program's defaults only where documented", () => {
    const { settings } = readSettings(environment);
    const { settings: plain } = readSettings({});

    assert.deepEqual(settings, {
      ...plain,
      affinityInjection: true,
      tolerationsInjection: true,
      exporter: {
        ...plain.exporter,
        pullPolicy: "IfNotPresent",
        resources: {
          requests: { cpu: "100m", memory: "64Mi", "ephemeral-storage": "30M" },
          limits: { cpu: "250m", memory: "128Mi", "ephemeral-storage": "50M" },
        },
      },
    });
  });

  it("set every variable that the operator reads, each once", () => {
    const read = new Set<string>();
    readSettings(
      new Proxy<Record<string, string>>(
        {},
        {
          getOwnPropertyDescriptor(_, key) {
            read.add(String(key));
            return undefined;
          },
        },
      ),
    );
    // WATCH_NAMESPACES is a flag of every operator and a value of every chart.
    read.delete("WATCH_NAMESPACES");
    const set = chartVariables.map(({ variable }) => variable);

    assert.deepEqual([...read].sort(), [...set].sort());
  });

  it("have the names of the Go operator's chart", () => {
    const values =
      operatorChart(defineOperator({ name: "locust-k8s-operator", chartVariables })).get("values.yaml") ?? "";

    for (const line of [
      /^locustPods:\n {2}resources:\n {4}requests:\n {6}cpu: "250m"$/m,
      /^ {2}affinityInjection: true$/m,
      /^ {2}ttlSecondsAfterFinished: ""$/m,
      /^ {2}metricsExporter:\n {4}image: /m,
      /^kafka:\n/m,
      /^config: \{\}$/m,
    ]) {
      assert.match(values, line);
    }
  });
});
