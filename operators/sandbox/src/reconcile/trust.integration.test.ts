// The certificate of the route server and the copies of its CA, on the embedded cluster.

import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { ConfigMap, Namespace, Secret } from "@homeostat/kubernetes/core/v1";
import { type RunningOperator } from "@homeostat/operator-testing";
import { routeServerCaConfigMap as name, routeServerSecret, systemNamespace } from "../api/identity.ts";
import { RouteTable, type RouteTableInput } from "../api/route-table.ts";
import { Bench, namespace } from "../testing/bench.ts";

describe("the CA of the route server", () => {
  let bench: Bench;
  let operator: RunningOperator;

  const caIn = async (home: string): Promise<string | undefined> =>
    (await bench.client.get(ConfigMap, { namespace: home, name }))?.data?.["ca.crt"];
  const createTable = async (home: string, service: string): Promise<void> => {
    const spec = {
      service,
      ports: [{ port: 80, baselineTarget: `${service}.${home}.svc:80` }],
      entries: [],
      version: "v",
    };
    const table: RouteTableInput = {
      apiVersion: "sandbox.example.com/v1alpha1",
      kind: "RouteTable",
      metadata: { name: service, namespace: home },
      spec,
    };
    await bench.client.create(RouteTable, RouteTable.default(table));
  };

  before(async () => {
    bench = await Bench.start();
    await bench.client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: "bank" } });
    await bench.enableNamespace("edge");
    await createTable(namespace, "cart");
    operator = await bench.run();
  });
  after(async () => {
    await operator[Symbol.asyncDispose]();
    await bench[Symbol.asyncDispose]();
  });

  it("signs a certificate for the Service and is copied to namespaces that sandboxes may use or that have route tables", async () => {
    const ca = await bench.until("the copy", async () => caIn(namespace));
    assert.equal(await caIn(systemNamespace), ca);
    // The first sidecar of a namespace starts before its first table.
    await bench.until("the copy of a namespace without tables", async () => (await caIn("edge")) === ca);
    assert.equal(await caIn("bank"), undefined);
    const { data = {} } = await bench.existing(Secret, { namespace: systemNamespace, name: routeServerSecret });
    const certificate = new X509Certificate(Buffer.from(data["tls.crt"] ?? "", "base64"));
    assert.ok(certificate.verify(new X509Certificate(ca).publicKey));
    const host = "sandbox-route-server.sandbox-system";
    const hosts = [`${host}.svc`, `${host}.svc.cluster.local`, host];
    assert.equal(certificate.subjectAltName, hosts.map((each) => `DNS:${each}`).join(", "));
  });

  it("is copied to a namespace with its first table, and restored when a copy is changed or deleted", async () => {
    const ca = await caIn(systemNamespace);
    await createTable("bank", "ledger");
    await bench.until("the copy", async () => (await caIn("bank")) === ca);

    await bench.client.patch(ConfigMap, { namespace: "bank", name }, { merge: { data: { "ca.crt": "wrong" } } });
    await bench.until("the correction", async () => (await caIn("bank")) === ca);
    await bench.client.delete(ConfigMap, { namespace: "bank", name });
    await bench.until("the restored copy", async () => (await caIn("bank")) === ca);
  });

  it("is replaced everywhere when the Secret is lost, and the old CA stays trusted", async () => {
    const before = (await caIn(systemNamespace)) ?? "";
    await operator[Symbol.asyncDispose]();
    await bench.client.delete(Secret, { namespace: systemNamespace, name: routeServerSecret });
    operator = await bench.run();

    const next = await bench.until("a new CA", async () => {
      const found = await caIn(systemNamespace);
      return found !== undefined && found !== before && found;
    });

    assert.ok(next.includes(before.trim()));
    await bench.until("the copies", async () => (await caIn(namespace)) === next && (await caIn("bank")) === next);
  });
});
