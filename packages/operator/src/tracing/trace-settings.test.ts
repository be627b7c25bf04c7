import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ConfigurationError } from "../errors.ts";
import type { Environment } from "../flags/read-flags.ts";
import { readTraceSettings, type TraceSettings } from "./trace-settings.ts";

const endpoint = "http://collector:4318";

function read(env: Environment): TraceSettings | undefined {
  return readTraceSettings(env, { name: "shop", version: "1.2" });
}

describe("readTraceSettings", () => {
  it("returns nothing without an endpoint, and when traces are turned off", () => {
    assert.equal(read({}), undefined);
    assert.equal(read({ OTEL_TRACES_SAMPLER: "always_on" }), undefined);
    assert.equal(read({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SDK_DISABLED: "true" }), undefined);
    assert.equal(read({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_EXPORTER: "none" }), undefined);
  });

  it("adds the path to the common endpoint, and uses the endpoint of traces as it is", () => {
    const urls: readonly (readonly [Environment, string])[] = [
      [{ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }, "http://collector:4318/v1/traces"],
      [{ OTEL_EXPORTER_OTLP_ENDPOINT: "https://c/otlp/" }, "https://c/otlp/v1/traces"],
      [{ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://t:1/x" }, "http://t:1/x"],
    ];
    for (const [env, url] of urls) assert.equal(read(env)?.url.href, url);
  });

  it("reads headers, resource attributes and limits", () => {
    const settings = read({
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20abc, x-team = a",
      OTEL_EXPORTER_OTLP_TIMEOUT: "2000",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment=test",
      OTEL_BSP_MAX_QUEUE_SIZE: "10",
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "5",
      OTEL_BSP_SCHEDULE_DELAY: "100",
      POD_NAME: "shop-1",
      POD_NAMESPACE: "shops",
    });

    assert.deepEqual(settings?.headers, { authorization: "Bearer abc", "x-team": "a" });
    assert.deepEqual(settings.resource, {
      "service.name": "shop",
      "service.version": "1.2",
      "k8s.pod.name": "shop-1",
      "service.instance.id": "shop-1",
      "k8s.namespace.name": "shops",
      "deployment.environment": "test",
    });
    const { queueMax, batchMax, delayMs, timeoutMs } = settings;
    assert.deepEqual(
      { queueMax, batchMax, delayMs, timeoutMs },
      { queueMax: 10, batchMax: 5, delayMs: 100, timeoutMs: 2000 },
    );
  });

  it("reads the ratio of recorded traces from the sampler", () => {
    const ratios: readonly (readonly [Environment, number])[] = [
      [{}, 1],
      [{ OTEL_TRACES_SAMPLER_ARG: "0.25" }, 0.25],
      [{ OTEL_TRACES_SAMPLER: "parentbased_traceidratio", OTEL_TRACES_SAMPLER_ARG: "0.5" }, 0.5],
      [{ OTEL_TRACES_SAMPLER: "always_off" }, 0],
      [{ OTEL_TRACES_SAMPLER: "always_on", OTEL_TRACES_SAMPLER_ARG: "0.5" }, 1],
    ];
    for (const [env, ratio] of ratios)
      assert.equal(read({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...env })?.ratio, ratio);
  });

  it("lists every bad value, without the values of headers", () => {
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
      OTEL_EXPORTER_OTLP_HEADERS: "token",
      OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: "soon",
      OTEL_TRACES_SAMPLER: "sometimes",
      OTEL_TRACES_SAMPLER_ARG: "2",
    };
    const variables = (given: Environment): unknown => {
      try {
        return read(given);
      } catch (error) {
        assert.ok(error instanceof ConfigurationError);
        assert.ok(!error.message.includes("token"));
        return error.problems.map(({ variable }) => variable).toSorted();
      }
    };

    assert.deepEqual(variables(env), [
      "OTEL_EXPORTER_OTLP_HEADERS",
      "OTEL_EXPORTER_OTLP_PROTOCOL",
      "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT",
      "OTEL_TRACES_SAMPLER",
    ]);
    assert.deepEqual(variables({ OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318" }), ["OTEL_EXPORTER_OTLP_ENDPOINT"]);
    assert.deepEqual(variables({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER_ARG: "2" }), [
      "OTEL_TRACES_SAMPLER_ARG",
    ]);
  });
});
