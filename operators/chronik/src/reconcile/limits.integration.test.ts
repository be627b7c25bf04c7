import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { releaseVersion, TooManyRequestsError } from "@homeostat/core";
import { StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { PersistentVolumeClaim, Pod, Secret } from "@homeostat/kubernetes/core/v1";
import { issue, makeAuthority } from "@homeostat/x509";
import { annotations } from "../api/annotations.ts";
import { Bench, conditionOf, namespace, quick } from "../testing/bench.ts";

describe("an upgrade of the operator", () => {
  it("rolls the canary cluster first, and then the others, although the version is the same", async () => {
    await using bench = await Bench.start();
    const former = await bench.run();
    for (const name of ["a", "b"]) {
      await bench.create(name, { controllers: 1, ingestNodes: 1 });
      await bench.running(name);
    }
    await bench.annotate("b", annotations.canaryCluster, "true");
    await former.stop();
    const before = [await bench.uids("a"), await bench.uids("b")] as const;

    const recorded = (await bench.get("b")).status.operatorVersion;
    const next = await bench.run({
      settings: { defaultControllerImage: "chronik/controller", defaultIngestImage: "registry.example/chronik/ingest" },
    });
    const limited = await bench.waitFor(
      "a",
      ({ status }) => status.rollout?.components?.some(({ blockedBy }) => blockedBy === "RolloutLimit") === true,
    );
    const during = await bench.uids("a");
    for (const name of ["b", "a"])
      await bench.waitFor(name, ({ status }) => status.phase === "Running" && status.operatorVersion !== recorded);
    await next.stop();

    assert.deepEqual(during, before[0]);
    const [version, fingerprint = ""] = recorded?.split("+") ?? [];
    assert.equal(version, releaseVersion);
    assert.match(fingerprint, /^[0-9a-f]{8}$/);
    assert.match(limited.status.rollout?.components?.[0]?.message ?? "", /canary cluster streaming\/b/);
    assert.notEqual((await bench.uids("a")).get("a-ingest-0"), before[0].get("a-ingest-0"));
    assert.notEqual((await bench.uids("b")).get("b-ingest-0"), before[1].get("b-ingest-0"));
  });
});

describe("a member that the user rebuilds", () => {
  it("returns with an empty volume and votes again", () =>
    onCluster(async (bench) => {
      await bench.create("re", { controllers: 3, ingestNodes: 1 });
      await bench.running("re");
      const claim = (): Promise<PersistentVolumeClaim | undefined> =>
        bench.client.get(PersistentVolumeClaim, { namespace, name: "data-re-controller-0" });
      const former = (await claim())?.metadata.uid;

      await bench.misbehave("re-controller-0", { neverReady: true });
      await bench.waitFor("re", ({ status }) => status.readyReplicas?.controllers === 2);
      const merge = { metadata: { annotations: { [annotations.deletePodAndClaim]: "true" } } };
      await bench.client.patch(Pod, { namespace, name: "re-controller-0" }, { merge });
      await bench.until("a new claim", async () => {
        const found = await claim();
        return found !== undefined && found.metadata.uid !== former;
      });
      const { status } = await bench.waitFor(
        "re",
        (cluster) => cluster.status.phase === "Running" && cluster.status.quorum?.ready === 3,
      );

      assert.equal(status.quorum?.voters, 3);
      assert.ok((await bench.events("re")).some((event) => event.startsWith("Warning DiskRebuild")));
    }));
});

describe("the disruption budget of controllers", () => {
  it("lets one controller go at a time", () =>
    onCluster(async (bench) => {
      await bench.create("pdb", { controllers: 3, ingestNodes: 1 });
      await bench.running("pdb");

      const first = await bench.client.evict({ namespace, name: "pdb-controller-0" });

      assert.equal(first, true);
      await assert.rejects(bench.client.evict({ namespace, name: "pdb-controller-1" }), TooManyRequestsError);
    }));
});

describe("a certificate", () => {
  it("is not reported while its Secret is missing, and is before it expires", () =>
    onCluster(async (bench) => {
      const now = bench.clock.now();
      const day = 86_400_000;
      const validity = { validFrom: new Date(now - 80 * day), validUntil: new Date(now + 10 * day) };
      const authority = makeAuthority({ subject: { commonName: "ca" }, ...validity });
      const { cert, key } = issue(authority, { subject: { commonName: "demo" }, hosts: ["demo"], ...validity });
      const encode = (text: string): string => Buffer.from(text).toString("base64");
      await bench.create("tls", { controllers: 1, ingestNodes: 1, security: { tlsEnabled: true, tlsSecret: "tls" } });
      const waiting = await bench.waitFor(
        "tls",
        (cluster) => conditionOf(cluster, "PrerequisitesMet")?.startsWith("False") === true,
      );
      const early = await bench.events("tls");
      await bench.client.create(Secret, {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { namespace, name: "tls" },
        type: "kubernetes.io/tls",
        data: { "tls.crt": encode(cert), "tls.key": encode(key) },
      });
      const running = await bench.running("tls");

      assert.match(conditionOf(waiting, "CertificateValid") ?? "", /^Unknown SecretMissing: /);
      assert.ok(!early.some((event) => event.startsWith("Warning Certificate")));
      assert.match(conditionOf(running, "CertificateValid") ?? "", /^True ExpiresSoon: /);
      assert.ok((await bench.events("tls")).some((event) => event.startsWith("Warning CertificateExpiresSoon")));
    }));
});

describe("a canary", () => {
  it("that does not become ready is rolled back until the spec changes", () =>
    onCluster(async (bench) => {
      await bench.create("can", {
        controllers: 1,
        ingestNodes: 3,
        updateStrategy: {
          ...quick.updateStrategy,
          progressDeadlineSeconds: 60,
          canary: { controller: 0, ingest: 1, bakeSeconds: 30, maxRestarts: 0 },
        },
      });
      await bench.running("can");
      const before = await bench.uids("can");

      const env = (value: string): object => ({
        template: { ingest: { env: [{ name: "CHRONIK_MISBEHAVE", value }] } },
      });
      await bench.change("can", env("neverReady"));
      const failed = await bench.waitFor(
        "can",
        (cluster) => conditionOf(cluster, "CanaryFailed")?.startsWith("True PodNotReady") === true,
      );
      const back = await bench.waitFor(
        "can",
        ({ status }) => status.readyReplicas?.ingestNodes === 3 && status.phase === "Running",
      );
      await bench.pass(60_000);
      const during = await bench.uids("can");
      const { spec } = await bench.object(StatefulSet, "can-ingest");
      await bench.change("can", env("none"));
      const running = await bench.running("can");

      assert.equal([...before].filter(([name, uid]) => during.get(name) !== uid).length, 1);
      assert.ok(failed.status.canary?.failedRevision !== undefined);
      assert.match(conditionOf(back, "CanaryFailed") ?? "", /^True PodNotReady/);
      assert.ok(!JSON.stringify(spec?.template).includes("neverReady"));
      assert.equal(running.status.canary, undefined);
      assert.match(conditionOf(running, "CanaryFailed") ?? "", /^False NotFailed/);
    }));
});

/** Runs a test on a cluster with an operator, and stops both. */
async function onCluster(test: (bench: Bench) => Promise<void>): Promise<void> {
  await using bench = await Bench.start();
  const operator = await bench.run();
  try {
    await test(bench);
  } finally {
    await operator.stop();
  }
}
