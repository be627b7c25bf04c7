import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ConfigMap, Service } from "@homeostat/kubernetes/core/v1";
import { EndpointSlice } from "@homeostat/kubernetes/discovery/v1";
import { Bench } from "../testing/bench.ts";

const nodes = [
  { name: "n1", labels: { "topology.kubernetes.io/zone": "a" }, hostIP: "192.0.2.1" },
  { name: "n2", labels: { "topology.kubernetes.io/zone": "b" }, hostIP: "192.0.2.2" },
];

/** The tests run in order on one cluster. */
describe("a cluster on nodes with addresses and zones", () => {
  let bench: Bench;
  before(async () => {
    bench = await Bench.start({ nodes });
  });
  after(() => bench[Symbol.asyncDispose]());

  const nodePortOf = async (name: string): Promise<number> =>
    (await bench.object(Service, name)).spec?.ports?.[0]?.nodePort ?? 0;
  const nodeOf = async (ordinal: number): Promise<string> =>
    (await bench.pods("one", "ingest"))[ordinal]?.spec.nodeName ?? "";
  const addressOf = async (ordinal: number): Promise<string> => {
    const node = await nodeOf(ordinal);
    return nodes.find(({ name }) => name === node)?.hostIP ?? "";
  };
  const advertised = async (ordinal: number): Promise<string | undefined> => {
    const { data } = await bench.object(ConfigMap, "one-ingest-config");
    return /^external = "(.*)"$/m.exec(data?.[`one-ingest-${ordinal}.toml`] ?? "")?.[1];
  };
  const zones = async (): Promise<readonly (string | undefined)[]> =>
    ((await bench.object(EndpointSlice, "one-search-slots")).endpoints ?? []).map(({ zone }) => zone);

  it("advertises the node of each ingest node with its node port, without permission to read nodes", async () => {
    await using operator = await bench.run();
    await bench.create("one", {
      controllers: 1,
      ingestNodes: 2,
      searchNodes: 1,
      network: { serviceType: "NodePort", externalAccess: true },
    });
    await bench.running("one");
    const { status } = await bench.waitFor("one", (cluster) => cluster.status.externalBootstrapServers !== undefined);
    await bench.until("both addresses", async () => (await advertised(1)) !== undefined);

    for (const ordinal of [0, 1])
      assert.equal(
        await advertised(ordinal),
        `${await addressOf(ordinal)}:${await nodePortOf(`one-ingest-${ordinal}`)}`,
      );
    const port = await nodePortOf("one-ingest-bootstrap");
    const addresses = new Set([await addressOf(0), await addressOf(1)]);
    assert.deepEqual(
      status.externalBootstrapServers,
      [...addresses].map((address) => `${address}:${port}`),
    );
    assert.deepEqual(await zones(), [undefined]);
    assert.deepEqual(
      operator.requests.filter((request) => request.includes("/nodes")),
      [],
    );
  });

  it("restarts no pod when an address changes, and has none without external access", async () => {
    await using _ = await bench.run();
    const uids = await bench.uids("one");

    await bench.change("one", { network: { externalAccess: false, serviceType: "ClusterIP" } });
    const { status } = await bench.waitFor("one", (cluster) => cluster.status.externalBootstrapServers === undefined);
    await bench.running("one");

    assert.equal(status.externalBootstrapServers, undefined);
    assert.equal(await advertised(0), undefined);
    assert.deepEqual(await bench.uids("one"), uids);
  });

  it("shows the zones of search nodes, if the operator may read nodes", async () => {
    await using operator = await bench.run({ settings: { featureGates: ["NodeDetails=true"] } });
    await bench.until("a zone", async () => (await zones())[0] !== undefined);
    const [pod] = await bench.pods("one", "search");
    const node = nodes.find(({ name }) => name === pod?.spec.nodeName);

    assert.deepEqual(await zones(), [node?.labels["topology.kubernetes.io/zone"]]);
    await bench.pass(300_000, 60);
    const reads = operator.requests.filter((request) => request.includes("/nodes"));
    assert.equal(reads.length, 1, "a node is read once in ten minutes");
  });
});
