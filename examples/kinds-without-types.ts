// Owns and reads objects of another operator, whose kinds have no TypeScript types.
//
// Prints:
//   Certificate of shop: shop.example.com, issued by letsencrypt
//   Site shop: the certificate is ready
//   found by name: Certificate, 1 object

import assert from "node:assert/strict";
import type { UntypedObject } from "@homeostat/client";
import { startCluster } from "@homeostat/cluster";
import { isRecord, type ResourceType } from "@homeostat/core";
import { applyManifests, eventually, startOperator } from "@homeostat/testing";
import { applied, defineController, defineOperator, defineResource, s } from "homeostat";

const Site = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Site",
  spec: { host: s.string() },
  conditions: ["Ready"],
});

// region: kind
const Certificate: ResourceType<UntypedObject> = {
  group: "cert-manager.io",
  version: "v1",
  kind: "Certificate",
  plural: "certificates",
  scope: "Namespaced",
};

const sites = defineController({
  for: Site,
  owns: { certificates: applied(Certificate) },
  async reconcile({ object: { spec }, name, owned, setCondition }) {
    const { status } = await owned.certificates.apply({
      metadata: { name },
      spec: { secretName: name, dnsNames: [spec.host], issuerRef: { name: "letsencrypt", kind: "ClusterIssuer" } },
    });
    // The fields are unknown: check what you read.
    const isReady = isRecord(status) && status["revision"] === 1;
    setCondition("Ready", { status: isReady, reason: "Certificate", message: isReady ? "issued" : "pending" });
  },
});
// endregion

const crd = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: certificates.cert-manager.io }
spec:
  group: cert-manager.io
  scope: Namespaced
  names: { kind: Certificate, listKind: CertificateList, plural: certificates, singular: certificate }
  versions:
    - name: v1
      served: true
      storage: true
      subresources: { status: {} }
      schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } }
`;

await using cluster = await startCluster({ parts: "api" });
const operator = defineOperator({ name: "site-operator", resources: [Site], controllers: [sites] });
await using started = await startOperator(cluster, operator, { prerequisites: crd });
const { client } = started;
const at = { namespace: "default", name: "shop" };
await applyManifests(client, [Site.make({ metadata: at, spec: { host: "shop.example.com" } })]);
await started.settled();

const certificate = await client.get(Certificate, at);
const spec = certificate?.["spec"];
assert.ok(isRecord(spec) && Array.isArray(spec["dnsNames"]) && isRecord(spec["issuerRef"]));
console.log(`Certificate of shop: ${spec["dnsNames"].join(", ")}, issued by ${String(spec["issuerRef"]["name"])}`);

await client.patch(Certificate, at, { merge: { status: { revision: 1 } } }, { subresource: "status" });
await eventually(async () => {
  const { status } = (await client.get(Site, at)) ?? {};
  assert.equal(status?.conditions?.[0]?.status, "True");
});
console.log("Site shop: the certificate is ready");

// region: discover
const found = await client.mapper.byName("certificates.cert-manager.io");
assert.ok(found);
const { items } = await client.list(found, { namespace: "default" });
console.log(`found by name: ${found.kind}, ${items.length} object`);
// endregion
