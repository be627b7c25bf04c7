import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseConfig } from "../settings/config.ts";
import { buildGateway } from "./gateway-objects.ts";
import { buildProxyDeployment } from "./proxy-objects.ts";
import { limitArguments, traceEnvironment } from "./proxy-settings.ts";
import { injectSidecar } from "./sidecar.ts";

function argumentsOf(text: string): readonly string[] {
  const parsed = parseConfig(text);
  assert.ok("config" in parsed, JSON.stringify(parsed));
  return limitArguments(parsed.config);
}

describe("settings of the routing proxy", () => {
  it("have no argument for limits with their defaults", () => {
    assert.deepEqual(argumentsOf(""), []);
    assert.deepEqual(argumentsOf("proxy: { connectTimeout: 1s, pendingMax: 1024 }"), []);
  });

  it("have an argument for each limit of the configuration that differs", () => {
    const config = `
proxy:
  connectTimeout: 2s
  tlsHandshakeTimeout: 4s
  requestHeadersTimeout: 11s
  responseHeadersTimeout: 1m
  streamIdleTimeout: 10m
  longStreamIdleTimeout: 2h
  clientKeepAlive: 80s
  upstreamKeepAlive: 50s
  headerBytesMax: 16384
  connectionsMax: 100
  pendingMax: 10
  heldRequestsMax: 5
  heldBytesMax: 2048
  retriesMax: 0
  shutdownDelay: 6s
  shutdownTimeout: 20s
`;

    assert.deepEqual(argumentsOf(config), [
      "--limits=connectMs=2000,tlsHandshakeMs=4000,requestHeadMs=11000,responseHeadMs=60000,streamIdleMs=600000,longStreamIdleMs=7200000," +
        "clientKeepAliveMs=80000,upstreamKeepAliveMs=50000,headBytesMax=16384,connectionsMax=100,pendingMax=10,heldMax=5,heldBytesMax=2048," +
        "retriesMax=0,shutdownDelayMs=6000,drainMs=20000",
    ]);
  });

  it("are those of takeovers, sidecars and gateways", () => {
    const options = {
      image: "sandbox-proxy:1",
      systemNamespace: "sandbox-system",
      limitArguments: ["--limits=connectMs=2000"],
      environment: traceEnvironment("http://collector.monitoring.svc:4318"),
    };
    const injected = injectSidecar(
      {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "cart" },
        spec: { containers: [{ name: "app", image: "cart", ports: [{ name: "http", containerPort: 80 }] }] },
      },
      options,
    );
    const containers = [
      buildProxyDeployment({ ...options, namespace: "shop" }).spec?.template.spec?.containers[0],
      buildGateway(options).deployment.spec?.template.spec?.containers[0],
      "pod" in injected ? injected.pod.spec?.containers[1] : undefined,
    ];

    for (const container of containers) {
      assert.ok(container?.args?.includes("--limits=connectMs=2000"), JSON.stringify(container));
      assert.deepEqual(container?.env?.[0], {
        name: "NODE_OPTIONS",
        value: "--expose-gc --max-semi-space-size=16",
      });
      assert.deepEqual(container?.env?.slice(3), [
        { name: "OTEL_EXPORTER_OTLP_ENDPOINT", value: "http://collector.monitoring.svc:4318" },
        {
          name: "OTEL_RESOURCE_ATTRIBUTES",
          value: "k8s.namespace.name=$(SANDBOX_PROXY_NAMESPACE),k8s.pod.name=$(SANDBOX_PROXY_NAME)",
        },
      ]);
    }
  });

  it("have no variables of traces without a collector", () => {
    assert.deepEqual(traceEnvironment(""), []);
  });
});
