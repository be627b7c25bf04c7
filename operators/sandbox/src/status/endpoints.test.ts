import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeAuthority } from "@homeostat/x509";
import { hostsVersion } from "../api/published-endpoints.ts";
import { RouteTable, type RouteTableStatus, type TableHost } from "../api/route-table.ts";
import { endpointFields, endpointOutcomes, type EndpointsInput } from "./endpoints.ts";

const routingKey = "k3v9q2m7x1c4d";
const validity = { validFrom: new Date("2026-01-01"), validUntil: new Date("2036-01-01") };
const authority = makeAuthority({ subject: { commonName: "shop CA" }, ...validity });
const endpoint = { name: "web", target: "http://frontend.shop.svc:8080", auth: "Token", path: "/" } as const;
const base: EndpointsInput = {
  endpoints: [endpoint],
  namespace: "shop",
  routingKey,
  preview: { domain: "preview.test", scheme: "https" },
  hasService: (key) => key === "shop/frontend",
  uid: "uid-1",
  table: () => undefined,
  tablesWithHost: () => [],
};
const host: TableHost = {
  host: `web--${routingKey}.preview.test`,
  target: endpoint.target,
  auth: "Token",
  path: "/",
  routingKey,
  owner: { kind: "Sandbox", namespace: "shop", name: "pr-1", uid: "uid-1" },
};

type Confirmed = NonNullable<NonNullable<RouteTableStatus["replicas"]>[number]["hosts"]>;

/** Returns the input with a table that publishes hosts, and the confirmations of two replicas of the route server. */
function published(
  hosts: readonly TableHost[],
  ...confirmed: readonly (Confirmed | undefined)[]
): Partial<EndpointsInput> {
  const table = RouteTable.default({
    apiVersion: "sandbox.example.com/v1alpha1",
    kind: "RouteTable",
    metadata: { name: "frontend", namespace: "shop", uid: "table-1" },
    spec: { service: "frontend", ports: [], entries: [], version: "v1", hosts: [...hosts] },
  });
  const replicas = confirmed.map((each, index) => ({
    name: `replica-${index}`,
    version: "v1",
    total: 1,
    synced: 1,
    ...(each && { hosts: each }),
  }));
  const cached = { ...table, status: { replicas } };
  return { table: () => cached, tablesWithHost: (name) => (hosts.some((each) => each.host === name) ? [cached] : []) };
}

function outcomeOf(change: Partial<EndpointsInput> = {}) {
  const [outcome] = endpointOutcomes({ ...base, ...change });
  assert.ok(outcome);
  return outcome;
}

describe("endpointOutcomes", () => {
  it("publishes the host with the key of the object, and waits for a gateway", () => {
    const { url, published, problem } = outcomeOf();

    assert.equal(url, `https://web--${routingKey}.preview.test`);
    assert.deepEqual(published, { ...endpoint, host: `web--${routingKey}.preview.test`, routingKey });
    assert.deepEqual(problem, { reason: "WaitingForGateway", message: "no gateway serves the address" });
  });

  it("is ready once all gateways of all replicas serve the host", () => {
    const version = hostsVersion([host]);
    const problemOf = (...confirmed: readonly (Confirmed | undefined)[]) =>
      outcomeOf(published([host], ...confirmed)).problem;

    assert.equal(problemOf({ version, gateways: 2 }, { version, gateways: 1 }), undefined);
    assert.equal(problemOf({ version, gateways: 2 }, undefined), undefined);
    assert.equal(problemOf({ version, gateways: 2 }, { version: "old", gateways: 0 }), undefined);
    assert.equal(
      problemOf({ version, gateways: 2 }, { version, gateways: 2, unserved: [host.host] })?.message,
      "not all gateways serve the address yet",
    );
    assert.equal(problemOf({ version: "old", gateways: 1 })?.reason, "WaitingForGateway");
    assert.equal(problemOf({ version, gateways: 0 })?.message, "no gateway serves the address");
    assert.equal(problemOf({ version, gateways: 1, unserved: ["other.preview.test"] }), undefined);
  });

  it("stays ready while gateways confirm a change of another host of the table", () => {
    const ready = endpointFields([{ ...outcomeOf(), problem: undefined }]);
    const changing = published([host], { version: "old", gateways: 1 });

    assert.equal(outcomeOf({ ...changing, recorded: ready }).problem, undefined);
    const changed = [{ ...endpoint, auth: "None" as const }];
    assert.equal(outcomeOf({ ...changing, endpoints: changed, recorded: ready }).problem?.reason, "WaitingForGateway");
    const waiting = endpointFields([outcomeOf()]);
    assert.equal(outcomeOf({ ...changing, recorded: waiting }).problem?.reason, "WaitingForGateway");
  });

  it("names the object that has the host, and none of another namespace", () => {
    const problemOf = (namespace: string) => {
      const owner = { kind: "RouteGroup" as const, namespace, name: "all", uid: "uid-2" };
      return outcomeOf(published([{ ...host, owner }])).problem;
    };

    assert.deepEqual(problemOf("shop"), {
      reason: "HostConflict",
      message: `the older RouteGroup all has the host ${host.host}; choose another host`,
    });
    assert.equal(
      problemOf("bank")?.message,
      `an older RouteGroup of another namespace has the host ${host.host}; choose another host`,
    );
    const [field] = endpointFields([outcomeOf(published([{ ...host, owner: { ...host.owner, uid: "uid-2" } }]))]);
    assert.deepEqual([field?.ready, field?.reason], [false, "HostConflict"]);
  });

  it("says that the table has no room for the host", () => {
    const { table = () => undefined } = published([]);
    const full = table("shop/frontend");
    assert.ok(full);
    const input = { table: () => ({ ...full, spec: { ...full.spec, omittedHosts: 3 } }) };

    assert.match(outcomeOf(input).problem?.message ?? "", /Service shop\/frontend has no room for more preview hosts/);
  });

  it("gives a host that the user chose the default key, if there is one", () => {
    const endpoints = [{ ...endpoint, host: "Shop.preview.test" }];

    assert.deepEqual(outcomeOf({ endpoints, defaultRoutingKey: "production" }).published, {
      ...endpoint,
      host: "shop.preview.test",
      defaultRoutingKey: "production",
    });
    assert.equal(outcomeOf({ endpoints }).published?.routingKey, routingKey);
    assert.equal(outcomeOf({ defaultRoutingKey: "production" }).published?.routingKey, routingKey);
  });

  it("publishes an endpoint with TLS with its authorities, and the name of the Service unless another one is given", () => {
    const caBundle = authority.cert;
    const target = "https://frontend.shop.svc";
    const tlsOf = (tls: { readonly caBundle: string; readonly serverName?: string }) =>
      outcomeOf({ endpoints: [{ ...endpoint, target, tls }] }).published?.tls;

    assert.deepEqual(tlsOf({ caBundle }), { caBundle, serverName: "frontend.shop.svc" });
    assert.equal(tlsOf({ caBundle, serverName: "shop.example.com" })?.serverName, "shop.example.com");
  });

  it("gives hosts another version when their authorities change", () => {
    const secure = { ...host, tls: { caBundle: "a", serverName: "b" } };
    const versions = [host, secure, { ...secure, tls: { caBundle: "a", serverName: "c" } }].map((one) =>
      hostsVersion([one]),
    );

    assert.equal(new Set(versions).size, 3);
  });

  const refused: readonly [title: string, change: Partial<EndpointsInput>, reason: string][] = [
    ["without a preview domain", { preview: { domain: "", scheme: "https" } }, "NoPreviewDomain"],
    ["whose Service does not exist", { hasService: () => false }, "TargetMissing"],
    ["whose host is not under the domain", { endpoints: [{ ...endpoint, host: "a.other.test" }] }, "InvalidSpec"],
    ["whose target is not a Service", { endpoints: [{ ...endpoint, target: "http://10.0.0.1" }] }, "InvalidSpec"],
    [
      "whose target has TLS, without authorities",
      { endpoints: [{ ...endpoint, target: "https://frontend.shop.svc" }] },
      "TargetUnsupported",
    ],
    [
      "whose authorities cannot be read",
      { endpoints: [{ ...endpoint, target: "https://frontend.shop.svc", tls: { caBundle: "PEM" } }] },
      "InvalidSpec",
    ],
    ["that a policy denies", { refusal: { reason: "PolicyDenied", message: "denied" } }, "PolicyDenied"],
  ];
  for (const [title, change, reason] of refused) {
    it(`does not publish an endpoint ${title}`, () => {
      const { published, problem } = outcomeOf(change);

      assert.deepEqual([published, problem?.reason], [undefined, reason]);
    });
  }
});
