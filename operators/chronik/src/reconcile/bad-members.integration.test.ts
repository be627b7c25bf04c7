import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { Secret } from "@homeostat/kubernetes/core/v1";
import type { ChronikCluster } from "../api/chronik-cluster.ts";
import { issue, makeAuthority } from "@homeostat/x509";
import { Bench, conditionOf, namespace, quick } from "../testing/bench.ts";
import { Invariants } from "../testing/invariants.ts";

/** Returns the gate that is closed for the controllers. */
function closedGate({ status }: ChronikCluster): string | undefined {
  return status.rollout?.components?.find(({ component }) => component === "controller")?.blockedBy;
}

describe("a rolling update of three controllers", () => {
  for (const misbehavior of ["hang", "garbage", "lieAboutQuorum"])
    it(`restarts a controller first whose responses are wrong (${misbehavior}), and keeps the majority`, async () => {
      await using bench = await Bench.start();
      const invariants = new Invariants(bench, "odd");
      const restarts: string[] = [];
      const operator = await bench.run({
        onWrite: async (sent) => {
          const pod = /\/pods\/(?<name>[^/?]+)/.exec(sent.path)?.groups?.["name"];
          if (pod !== undefined && (sent.method === "DELETE" || sent.path.includes("/eviction"))) restarts.push(pod);
          await invariants.check(sent);
        },
      });
      await bench.create("odd", { controllers: 3, ingestNodes: 1 });
      const { status } = await bench.running("odd");
      const leader = status.quorum?.leader ?? "";
      const follower = leader === "odd-controller-0" ? "odd-controller-1" : "odd-controller-0";

      await bench.misbehave(follower, { [misbehavior]: true });
      await bench.change("odd", { config: { common: { a: "b" } } });
      await bench.running("odd");
      await operator.stop();

      invariants.assertNone();
      assert.equal(restarts[0], follower);
      assert.deepEqual(restarts.toSorted(), [
        "odd-controller-0",
        "odd-controller-1",
        "odd-controller-2",
        "odd-ingest-0",
      ]);
    });

  it("waits while no controller gives a valid response, until the user lets readiness decide", async () => {
    await using bench = await Bench.start();
    const operator = await bench.run();
    await bench.create("odd", { controllers: 3, ingestNodes: 1 });
    await bench.running("odd");
    for (const ordinal of [0, 1, 2]) await bench.misbehave(`odd-controller-${ordinal}`, { garbage: true });
    const before = await bench.uids("odd");

    await bench.change("odd", { config: { common: { a: "b" } } });
    await bench.waitFor("odd", (cluster) => closedGate(cluster) === "Quorum", "a closed gate");
    await bench.pass(600_000);
    const waiting = await bench.uids("odd");
    await bench.change("odd", { updateStrategy: { ...quick.updateStrategy, quorumCheck: "Readiness" } });
    await bench.running("odd");
    await operator.stop();

    assert.deepEqual(waiting, before);
    const after = await bench.uids("odd");
    assert.deepEqual([...after.keys()], [...before.keys()]);
    assert.ok([...before].every(([name, uid]) => after.get(name) !== uid));
  });
});

describe("a Secret that a cluster refers to", () => {
  it("is waited for while it lacks a key", async () => {
    await using bench = await Bench.start();
    const operator = await bench.run();
    await bench.client.create(Secret, tlsSecret({ "tls.crt": "certificate" }));
    await bench.create("tls", secured);

    const waiting = await bench.waitFor("tls", (cluster) => prerequisites(cluster).startsWith("False"));
    await bench.client.patch(Secret, { namespace, name: "tls" }, { merge: tlsSecret({ "tls.key": "key" }) });
    const running = await bench.running("tls");
    await operator.stop();

    assert.match(prerequisites(waiting), /^False PrerequisiteMissing: Secret "tls" .*tls\.key/);
    assert.match(prerequisites(running), /^True/);
  });

  it("is reported when its certificate is rotated to nonsense, and pods restart one by one all the same", async () => {
    await using bench = await Bench.start();
    const invariants = new Invariants(bench, "tls");
    const operator = await bench.run({ onWrite: (sent) => invariants.check(sent) });
    const validity = {
      validFrom: new Date(bench.clock.now() - day),
      validUntil: new Date(bench.clock.now() + 90 * day),
    };
    const authority = makeAuthority({ subject: { commonName: "ca" }, ...validity });
    const { cert, key } = issue(authority, { subject: { commonName: "tls" }, hosts: ["tls"], ...validity });
    await bench.client.create(Secret, tlsSecret({ "tls.crt": cert, "tls.key": key }));
    await bench.create("tls", secured);
    const valid = await bench.running("tls");

    const nonsense = tlsSecret({ "tls.crt": "\u0000-----BEGIN CERTIFICATE-----", "tls.key": "no key" });
    await bench.client.patch(Secret, { namespace, name: "tls" }, { merge: nonsense });
    const broken = await bench.waitFor("tls", (cluster) => certificate(cluster).startsWith("False"));
    await bench.running("tls");
    await operator.stop();

    assert.match(certificate(valid), /^True Valid: /);
    assert.match(certificate(broken), /^False Unreadable: /);
    assert.ok((await bench.events("tls")).some((event) => event.startsWith("Warning CertificateUnreadable")));
    invariants.assertNone();
    assert.equal(invariants.disruptions, 4);
  });
});

describe("a StatefulSet of another owner", () => {
  it("with the name of that of the controllers is not touched, and the cluster fails", async () => {
    await using bench = await Bench.start();
    const operator = await bench.run();
    const foreign = await bench.client.create(StatefulSet, {
      apiVersion: "apps/v1",
      kind: "StatefulSet",
      metadata: { namespace, name: "taken-controller" },
      spec: {
        serviceName: "other",
        selector: { matchLabels: { app: "other" } },
        template: { metadata: { labels: { app: "other" } }, spec: { containers: [{ name: "other", image: "other" }] } },
      },
    });

    await bench.create("taken", { controllers: 3, ingestNodes: 1 });
    const { status } = await bench.phase("taken", "Failed");
    await bench.pass(60_000);
    await operator.stop();

    assert.equal(status.lastError?.reason, "ResourceConflict");
    assert.match(status.lastError.message ?? "", /taken-controller/);
    const live = await bench.object(StatefulSet, "taken-controller");
    assert.deepEqual(
      [live.metadata.uid, live.metadata.generation],
      [foreign.metadata.uid, foreign.metadata.generation],
    );
  });
});

const day = 86_400_000;
const secured = { controllers: 3, ingestNodes: 1, security: { tlsEnabled: true, tlsSecret: "tls" } };

function tlsSecret(texts: Readonly<Record<string, string>>): Secret & { metadata: { name: string } } {
  const data = Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString("base64")]),
  );
  return { apiVersion: "v1", kind: "Secret", metadata: { namespace, name: "tls" }, data };
}

function prerequisites(cluster: ChronikCluster): string {
  return conditionOf(cluster, "PrerequisitesMet") ?? "";
}

function certificate(cluster: ChronikCluster): string {
  return conditionOf(cluster, "CertificateValid") ?? "";
}
