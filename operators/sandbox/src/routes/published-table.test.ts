import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { finalizers } from "../api/identity.ts";
import type { RouteTable } from "../api/route-table.ts";
import { routeTableWith } from "../testing/objects.ts";
import { publishedSpec, withHosts } from "./published-table.ts";

const entry = {
  routingKey: "key-1",
  sandbox: "pr-42",
  workload: "cart",
  source: "Sandbox" as const,
  ports: [{ port: 80, targetService: "pr-42-cart", targetPort: 80 }],
};
const compiled = routeTableWith({
  version: "v2",
  interception: "None",
  ports: [{ port: 80, baselineTarget: "cart.shop.svc:80" }],
  entries: [entry],
}).spec;

/** Returns a published table of a Service that is taken over. */
function held(listenPorts: Record<string, number> = { "80": 21_000 }): RouteTable {
  const table = routeTableWith({
    version: "v1",
    ports: [{ port: 80, baselineTarget: "cart--base.shop.svc:80" }],
    entries: [entry],
  });
  return {
    ...table,
    metadata: { ...table.metadata, finalizers: [finalizers.takeover] },
    status: { ...table.status, listenPorts },
  };
}

describe("the published table", () => {
  it("is the compiled one without a takeover", () => {
    assert.equal(publishedSpec(compiled, undefined), compiled);
    assert.equal(publishedSpec(compiled, routeTableWith()), compiled);
    assert.equal(publishedSpec(undefined, routeTableWith()), undefined);
  });

  it("stays without entries until the Service is released", () => {
    const spec = publishedSpec(undefined, held());

    assert.deepEqual(spec?.entries, []);
    assert.deepEqual(spec?.ports, [{ port: 80, baselineTarget: "cart--base.shop.svc:80" }]);
    assert.notEqual(spec?.version, "v1");
  });

  it("leads to the Service of the baseline while the proxy listens, also after the interception has changed", () => {
    const spec = publishedSpec(compiled, held());

    assert.equal(spec?.ports[0]?.baselineTarget, "cart--base.shop.svc:80");
    assert.equal(spec?.interception, "None");
    assert.match(spec?.version ?? "", /^v2-[0-9a-f]{8}$/);
  });

  it("leads to the Service itself when the ports are free", () => {
    assert.deepEqual(publishedSpec(compiled, held({})), compiled);
  });
});

describe("withHosts", () => {
  const owner = { kind: "Sandbox" as const, namespace: "shop", name: "pr-42", uid: "u1" };
  const host = { host: "a.preview.test", target: "http://cart.shop.svc", auth: "Token" as const, path: "/", owner };
  const empty = () => ({ ...compiled, entries: [] });

  it("adds hosts to the routes, and keeps their version", () => {
    const spec = withHosts(compiled, { hosts: { hosts: [host], omitted: 2 }, empty });

    assert.deepEqual(spec, { ...compiled, hosts: [host], omittedHosts: 2 });
  });

  it("publishes a table without routes only for hosts", () => {
    assert.equal(withHosts(undefined, { hosts: { hosts: [], omitted: 0 }, empty }), undefined);
    const spec = withHosts(undefined, { hosts: { hosts: [host], omitted: 0 }, empty });
    assert.deepEqual(spec, { ...compiled, entries: [], hosts: [host] });
  });
});
