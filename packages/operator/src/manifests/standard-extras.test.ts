import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { alertsExtra } from "./standard-extras.ts";

const place = { instance: "shop", namespace: "shop-system", serviceAccount: "shop", podLabels: { app: "shop" } };

describe("alertsExtra", () => {
  it("returns one PrometheusRule with all alerts, off by default", () => {
    const extra = alertsExtra("shops", ({ namespace }) => [
      { name: "ShopDown", expr: `absent(up{namespace="${namespace}"})`, summary: "Down", description: "Look there." },
    ]);

    assert.equal(extra.default, false);
    assert.deepEqual(extra.objects(place), [
      {
        apiVersion: "monitoring.coreos.com/v1",
        kind: "PrometheusRule",
        metadata: { name: "shop", namespace: "shop-system" },
        spec: {
          groups: [
            {
              name: "shops",
              rules: [
                {
                  alert: "ShopDown",
                  expr: 'absent(up{namespace="shop-system"})',
                  for: "0m",
                  labels: { severity: "warning" },
                  annotations: { summary: "Down", description: "Look there." },
                },
              ],
            },
          ],
        },
      },
    ]);
  });
});
