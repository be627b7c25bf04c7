import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Client, type Request, type Response, type Transport } from "@homeostat/client";
import { FakeClock, isRecord, type JsonRecord, SeededRandom } from "@homeostat/core";
import { silentLogger } from "@homeostat/runtime";
import { isSignedBy, readCertificate, splitCertificates } from "@homeostat/x509";
import { issuedCertificate, issuedCertificateAccess } from "./issued-certificate.ts";

const dayMs = 24 * 3_600_000;
const secretPath = "/api/v1/namespaces/shop/secrets/shop-ca";
const mapPath = "/api/v1/namespaces/shop/configmaps/shop-ca-bundle";

const notFound = { kind: "Status", reason: "NotFound", details: { name: "x", kind: "secrets" } };

/** An API server that stores objects by path and refuses updates with an old resourceVersion. */
class FakeServer implements Transport {
  readonly objects = new Map<string, JsonRecord>();
  #version = 0;

  async send({ method, path, body }: Request): Promise<Response> {
    const [pathname = ""] = path.split("?");
    const found = this.objects.get(pathname);
    if (method === "GET") return respond(found === undefined ? 404 : 200, found ?? notFound);
    const sent: unknown = JSON.parse(String(body));
    assert.ok(isRecord(sent) && isRecord(sent["metadata"]));
    const { metadata, stringData, data = {}, ...rest } = sent;
    if (method === "PUT" && isRecord(found?.["metadata"])) {
      const isCurrent = found["metadata"]["resourceVersion"] === metadata["resourceVersion"];
      if (!isCurrent) return respond(409, { kind: "Status", reason: "Conflict" });
    }
    const encoded = Object.entries(isRecord(stringData) ? stringData : {}).map(([key, value]) => [
      key,
      Buffer.from(String(value)).toString("base64"),
    ]);
    this.#version += 1;
    const stored = {
      ...rest,
      data: { ...Object(data), ...Object.fromEntries(encoded) },
      metadata: { ...metadata, resourceVersion: String(this.#version) },
    };
    this.objects.set(method === "POST" ? `${pathname}/${String(metadata["name"])}` : pathname, stored);
    return respond(method === "POST" ? 201 : 200, stored);
  }

  text(path: string, key: string): string {
    const data = this.objects.get(path)?.["data"];
    const value = isRecord(data) ? data[key] : undefined;
    return typeof value === "string" ? value : "";
  }

  /** Returns the certificate that the other program serves. */
  get served(): string {
    return Buffer.from(this.text(secretPath, "tls.crt"), "base64").toString();
  }
}

function respond(status: number, object: JsonRecord): Response {
  return {
    status,
    headers: { "content-type": "application/json" },
    body: {
      cancel() {},
      async *[Symbol.asyncIterator]() {
        yield Buffer.from(JSON.stringify(object));
      },
    },
  };
}

function start(server: FakeServer, pollMs: number) {
  const clock = new FakeClock({ turnsMin: 12 });
  const bundles: string[] = [];
  const stopping = new AbortController();
  const service = issuedCertificate({
    secret: "shop-ca",
    configMap: "shop-ca-bundle",
    policy: { hosts: ["till.shop.svc"], commonName: "till", propagationMs: 2 * dayMs },
    onBundle: (bundle) => bundles.push(bundle),
    pollMs,
  })({
    unfencedClient: new Client(server),
    serverClock: clock,
    random: new SeededRandom(1),
    log: { ...silentLogger, warn: (message, fields) => assert.fail(`${message} ${String(fields?.["error"])}`) },
    namespace: "shop",
    reportMissingNamespace: () => false,
  });
  const running = service.run(stopping.signal);
  const stop = async (): Promise<void> => {
    stopping.abort();
    await running;
  };
  return { clock, bundles, stop };
}

describe("issuedCertificate", () => {
  it("issues a certificate for the hosts, and reports its CA", async () => {
    const server = new FakeServer();
    const { clock, bundles, stop } = start(server, 60_000);
    await clock.advance(180_000);

    const bundle = server.text(mapPath, "ca.crt");
    assert.deepEqual(readCertificate(server.served).hosts, ["till.shop.svc"]);
    assert.ok(isSignedBy(server.served, bundle));
    assert.deepEqual(bundles, [bundle]);
    await stop();
  });

  it("renews it for a year, and only with CAs that clients have had time to read", async () => {
    const server = new FakeServer();
    const { clock, bundles, stop } = start(server, dayMs / 2);
    await clock.advance(dayMs);
    const served = new Set<string>();
    let before = server.text(mapPath, "ca.crt");
    for (let day = 0; day < 400; day += 1) {
      await clock.advance(dayMs);
      const { served: cert } = server;
      served.add(cert);
      assert.ok(readCertificate(cert).validUntil.getTime() > clock.now() + 25 * dayMs, `day ${day}`);
      // A client that has read the ConfigMap a day ago trusts the certificate of today.
      assert.ok(
        splitCertificates(before).some((authority) => isSignedBy(cert, authority)),
        `day ${day}`,
      );
      before = server.text(mapPath, "ca.crt");
    }
    assert.ok(served.size >= 6, `${served.size} certificates`);
    assert.ok(bundles.length >= 3, `${bundles.length} bundles`);
    await stop();
  });

  it("restores a ConfigMap that was deleted, and keeps labels and other keys", async () => {
    const server = new FakeServer();
    const { clock, stop } = start(server, 60_000);
    await clock.advance(180_000);
    const bundle = server.text(mapPath, "ca.crt");
    assert.match(bundle, /BEGIN CERTIFICATE/);

    server.objects.delete(mapPath);
    await clock.advance(180_000);
    assert.equal(server.text(mapPath, "ca.crt"), bundle);

    const metadata = { name: "shop-ca-bundle", namespace: "shop", labels: { a: "b" }, resourceVersion: "900" };
    server.objects.set(mapPath, { apiVersion: "v1", kind: "ConfigMap", metadata, data: { other: "kept" } });
    await clock.advance(180_000);
    assert.deepEqual([server.text(mapPath, "ca.crt"), server.text(mapPath, "other")], [bundle, "kept"]);
    const stored = server.objects.get(mapPath)?.["metadata"];
    assert.deepEqual(isRecord(stored) && stored["labels"], { a: "b" });
    await stop();
  });

  it("needs permissions on its two objects only, except for their creation", () => {
    const rules = issuedCertificateAccess({ secret: "s", configMap: "c" });
    assert.deepEqual(
      rules.map(({ type, verbs, names = [] }) => [type.plural, verbs.join(), names.join()]),
      [
        ["secrets", "create", ""],
        ["secrets", "get,update", "s"],
        ["configmaps", "create", ""],
        ["configmaps", "get,update", "c"],
      ],
    );
  });
});
