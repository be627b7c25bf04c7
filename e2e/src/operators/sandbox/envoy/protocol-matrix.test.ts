// The protocol matrix through a real Envoy that our renderer configures: the same requests that the engines of the routing proxy are tested with.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type CaseOutcome, protocolCases, ProtocolUpstream } from "@homeostat/proxy/testing";
import { defaultRoutingSettings, type RouteTable } from "@homeostat/routing";
import { DiscoveryServer, type EnvoyOutput, renderEnvoy } from "@homeostat/sandbox-operator/internal";
import { DnsServer } from "./dns-server.ts";
import { EnvoyProcess } from "./envoy-process.ts";
import { raiseInotifyLimit } from "./inotify-limit.ts";
import { installEnvoy, whyNoEnvoy } from "./install-envoy.ts";

const skip = (await whyNoEnvoy()) ?? false;
const routes = ["baseline", "fork", "missing", "hold"] as const;

describe("protocol matrix: a real Envoy", { skip, timeout: 60_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), "envoy-"));
  const stop = new AbortController();
  const upstreams: ProtocolUpstream[] = [];
  let discoveryEnd: Promise<void> | undefined;
  let dns: DnsServer;
  let envoy: EnvoyProcess;
  let output: EnvoyOutput;
  let port: number;

  before(async () => {
    raiseInotifyLimit();
    const binary = await installEnvoy();
    dns = await DnsServer.start();
    const [baseline, fork] = [await ProtocolUpstream.start("baseline"), await ProtocolUpstream.start("fork")];
    upstreams.push(baseline, fork);
    output = renderEnvoy({
      tables: [tableOf(baseline.address, fork.address)],
      settings: defaultRoutingSettings,
      bindAddress: "127.0.0.1",
    });
    const discovery = new DiscoveryServer(output);
    const discoveryPort = await new Promise<number>((onListening) => {
      discoveryEnd = discovery.run({ host: "127.0.0.1", port: 0, onListening }, stop.signal);
    });
    const source = { discovery: { address: "127.0.0.1", port: discoveryPort } };
    envoy = new EnvoyProcess({ binary, folder, dnsPort: dns.port, source });
    port = (await envoy.listening(["shop/cart:80"])).get("shop/cart:80") ?? 0;
  });

  after(async () => {
    await envoy?.[Symbol.asyncDispose]();
    stop.abort();
    await discoveryEnd;
    for (const upstream of upstreams) await upstream[Symbol.asyncDispose]();
    await dns?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  for (const { name, send, expected, isGrpc } of protocolCases) {
    for (const route of routes) {
      it(`${name}: ${route}`, async () => {
        const fields: Record<string, string> = route === "baseline" ? {} : { "x-routing-key": `key-${route}` };

        const outcome = await send({ port, fields });

        if (route === "missing" || route === "hold") {
          assert.equal(outcome.upstream, undefined);
          assert.equal(outcome.status, isGrpc === true ? 200 : 503);
          if (isGrpc === true) assert.equal(outcome.grpcStatus, "14");
          return;
        }
        assert.equal(outcome.upstream, route, envoy.log);
        for (const [key, value] of Object.entries(expected))
          assert.deepEqual(outcome[key as keyof CaseOutcome], value, key);
      });
    }
  }

  it("reports that Envoy responds at once where the routing proxy holds requests", () => {
    assert.deepEqual(
      output.limitations.map((limitation) => limitation.name),
      ["HoldUnsupported"],
    );
  });
});

/** Returns a table with a fork, and with two keys whose workload has no ready pod. */
function tableOf(baseline: string, fork: string): RouteTable {
  const entry = (name: string, addresses: readonly string[]): RouteTable["entries"][number] => ({
    routingKey: `key-${name}`,
    sandbox: `pr-${name}`,
    workload: name,
    source: "Sandbox",
    ...(name === "hold" && { onUnavailable: "Hold" }),
    ports: [{ port: 80, targetService: `cart-${name}`, targetPort: 80, addresses }],
  });
  return {
    namespace: "shop",
    service: "cart",
    version: "1",
    ports: [{ port: 80, listen: 0, baselineTarget: baseline }],
    entries: [entry("fork", [fork]), entry("missing", []), entry("hold", [])],
  };
}
