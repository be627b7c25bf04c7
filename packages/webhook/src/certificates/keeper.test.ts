import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { apiErrorFrom, ArgumentError, FakeClock, nextTurn } from "@homeostat/core";
import { fuzz } from "@homeostat/fuzz";
import { isSignedBy, type KeyPair, makeAuthority, splitCertificates } from "@homeostat/x509";
import { begin, perform } from "./decide.ts";
import { CertificateFiles } from "./files.ts";
import { CertificateKeeper } from "./keeper.ts";
import { fullPolicy } from "./policy.ts";
import type { CaBundleTarget, SecretStore } from "./ports.ts";
import { bundleOf, formatState, parseState } from "./state.ts";

const dayMs = 24 * 3600_000;
const policy = fullPolicy({ hosts: ["hook.example.svc", "::1"] });

function makeStore(): SecretStore & { data: Record<string, string> | undefined; writes: number } {
  const conflict = (): Error => apiErrorFrom({ status: 409, body: { kind: "Status", reason: "Conflict" } });
  return {
    data: undefined,
    writes: 0,
    async get() {
      return this.data === undefined ? undefined : { data: this.data, resourceVersion: String(this.writes) };
    },
    async create(data) {
      if (this.data !== undefined)
        throw apiErrorFrom({ status: 409, body: { kind: "Status", reason: "AlreadyExists" } });
      this.data = data;
      this.writes += 1;
    },
    async update(data, resourceVersion) {
      if (resourceVersion !== String(this.writes)) throw conflict();
      this.data = data;
      this.writes += 1;
    },
  };
}

function makeTarget(bundle = ""): CaBundleTarget & { bundle: string; version: number } {
  return {
    name: "crd",
    bundle,
    version: 1,
    async read() {
      return { bundle: this.bundle, resourceVersion: String(this.version) };
    },
    async write(next) {
      this.bundle = next;
      this.version += 1;
    },
  };
}

function keep(secret: SecretStore, target: CaBundleTarget, clock = new FakeClock(), hosts = policy.hosts) {
  const served: KeyPair[] = [];
  const keeper = new CertificateKeeper({
    secret,
    targets: [target],
    policy: { hosts },
    clock,
    serve: (p) => served.push(p),
  });
  return { keeper, served, clock };
}

describe("a CertificateKeeper that is stopped", () => {
  it("returns at once during a hanging request and reports no error", async () => {
    const problems: unknown[] = [];
    let fail: (error: Error) => void = () => undefined;
    const secret: SecretStore = { ...makeStore(), get: () => new Promise((_, reject) => (fail = reject)) };
    const clock = new FakeClock();
    const keeper = new CertificateKeeper({
      secret,
      targets: [],
      policy,
      clock,
      serve: () => undefined,
      onProblem: (error) => problems.push(error),
    });
    const stop = new AbortController();
    const running = keeper.run(stop.signal);
    await nextTurn();

    stop.abort();
    await running;
    fail(new Error("transport is closed"));
    await nextTurn();

    assert.deepEqual(problems, []);
    assert.equal(clock.pending, 0);
  });
});

describe("CertificateKeeper", () => {
  it("creates a CA in the Secret and in every bundle, and serves a certificate signed by it", async () => {
    const secret = makeStore();
    const target = makeTarget();
    const { keeper, served } = keep(secret, target);

    const pair = await keeper.sync();

    assert.deepEqual(
      served.map(({ cert }) => cert),
      [pair.cert],
    );
    assert.equal(secret.data?.["tls.crt"], pair.cert);
    assert.equal(secret.data["ca.crt"], target.bundle);
    assert.ok(isSignedBy(pair.cert, target.bundle));
    assert.equal(keeper.isHealthy, true);
  });

  it("shares one certificate with a replica that starts at the same time", async () => {
    for (let count = 0; count < 20; count += 1) {
      const secret = makeStore();
      const target = makeTarget();
      const clock = new FakeClock();
      const [one, two] = [keep(secret, target, clock), keep(secret, target, clock)];

      const [a, b] = await Promise.all([one.keeper.sync(), two.keeper.sync()]);

      assert.equal(a.cert, b.cert);
      assert.equal(secret.writes, 1);
    }
  });

  it("writes nothing while everything is up to date", async () => {
    const secret = makeStore();
    const target = makeTarget();
    const { keeper, clock, served } = keep(secret, target);
    await keeper.sync();

    await clock.advance(50 * dayMs);
    await keeper.sync();

    assert.equal(secret.writes, 1);
    assert.equal(target.version, 2);
    assert.equal(served.length, 1);
  });

  it("restores a bundle that a user has emptied", async () => {
    const secret = makeStore();
    const target = makeTarget();
    const { keeper } = keep(secret, target);
    await keeper.sync();
    const before = target.bundle;
    target.bundle = "";

    await keeper.sync();

    assert.equal(target.bundle, before);
  });

  it("replaces an invalid or expired Secret and keeps trusting the CAs in the bundles", async () => {
    const clock = new FakeClock();
    const now = clock.now();
    const old = makeAuthority({
      subject: { commonName: "old" },
      validFrom: new Date(now),
      validUntil: new Date(now + dayMs),
    });
    const ended = formatState(begin({ now: now - 800 * dayMs, policy, retired: [] }));
    for (const data of [{}, { "rotation.json": '{"current":{"cert":1}}' }, ended]) {
      const secret = makeStore();
      secret.data = data;
      const target = makeTarget(old.cert);
      const { keeper } = keep(secret, target, clock);

      const pair = await keeper.sync();

      assert.ok(splitCertificates(target.bundle).some((cert) => isSignedBy(pair.cert, cert)));
      assert.equal(target.bundle.includes(old.cert), data !== ended);
      assert.equal(keeper.isHealthy, true);
    }
  });

  it("issues only a new serving certificate when only that is broken", async () => {
    const secret = makeStore();
    const target = makeTarget();
    await keep(secret, target).keeper.sync();
    const bundle = target.bundle;
    secret.data = { ...secret.data, "tls.crt": "x" };

    const pair = await keep(secret, target).keeper.sync();

    assert.equal(target.bundle, bundle);
    assert.ok(isSignedBy(pair.cert, bundle));
  });

  it("serves a certificate although a bundle cannot be read, and reports the error", async () => {
    const secret = makeStore();
    const target = { ...makeTarget(), read: () => Promise.reject(new Error("forbidden")) };
    const { keeper, served } = keep(secret, target);

    await assert.rejects(keeper.sync(), /forbidden/);

    assert.equal(served.length, 1);
  });

  it("keeps the hosts of both releases while they require different ones", async () => {
    const secret = makeStore();
    const target = makeTarget();
    const old = keep(secret, target, undefined, ["old.svc"]);
    const recent = keep(secret, target, undefined, ["new.svc", "::1"]);

    for (let count = 0; count < 3; count += 1) {
      await old.keeper.sync();
      await recent.keeper.sync();
    }

    assert.equal(secret.writes, 2);
    assert.deepEqual(parseState(secret.data ?? {})?.serving?.hosts, ["new.svc", "0:0:0:0:0:0:0:1", "old.svc"]);
  });

  it("refuses a policy under which rotations cannot finish in time", () => {
    const wrong = [
      { hosts: [] },
      { hosts: ["a"], servingLifeMs: 400 * dayMs },
      { hosts: ["a"], authorityLifeMs: dayMs, servingLifeMs: dayMs, propagationMs: dayMs / 2 },
    ];

    for (const one of wrong) assert.throws(() => fullPolicy(one), ArgumentError);
  });
});

describe("the state in the Secret", () => {
  const now = Date.UTC(2026, 0, 1);
  const first = begin({ now, policy, retired: [] });
  const situation = { state: first, now: now + 300 * dayMs, isPublished: true, policy };
  const introduced = perform("introduce", situation);
  const promoted = perform("promote", { ...situation, state: introduced });

  it("survives a round trip at every stage", () => {
    for (const state of [first, introduced, perform("published", { ...situation, state: introduced }), promoted]) {
      assert.deepEqual(parseState(formatState(state)), state);
    }
  });

  it("does not contain the key of a retired CA", () => {
    const data = JSON.stringify(
      formatState(perform("promote", { ...situation, now: now + 10 * dayMs, state: introduced })),
    );

    assert.ok(data.includes(JSON.stringify(JSON.stringify(first.current.cert)).slice(3, -3)));
    assert.ok(!data.includes(JSON.stringify(JSON.stringify(first.current.key)).slice(3, -3)));
  });

  it("is parsed to a state or undefined for random input", () => {
    const { "rotation.json": rotation = "", ...rest } = formatState(introduced);

    fuzz({
      count: 100_000,
      input: (chance, n) =>
        n % 50 === 0
          ? chance.mutate(rotation, ['"', "{", "\\n", "A"])
          : chance.mutate('{"current":{"cert":"x","key":"y"},"retired":[{"cert":"z"}],"next":{}}', [
              '"',
              "{",
              "}",
              "null",
              '"__proto__":',
              "[",
              "]",
              "1",
            ]),
      run: (text) => {
        const state = parseState({ ...rest, "rotation.json": text });
        if (state !== undefined) bundleOf(state);
      },
      isExpected: () => false,
    });
  });
});

describe("CertificateFiles", () => {
  it("serves a matching pair and follows changes", async () => {
    const folder = await mkdtemp(join(tmpdir(), "webhook-"));
    const [certPath, keyPath] = [join(folder, "tls.crt"), join(folder, "tls.key")];
    const served: string[] = [];
    const problems: string[] = [];
    const files = new CertificateFiles({
      certPath,
      keyPath,
      serve: ({ cert }) => served.push(cert),
      onProblem: (e) => problems.push(String(e)),
    });
    const [one, two] = [begin({ now: 0, policy, retired: [] }).current, begin({ now: 0, policy, retired: [] }).current];
    try {
      await assert.rejects(files.sync(), /ENOENT/);
      await writeFile(certPath, one.cert);
      await writeFile(keyPath, one.key);
      await files.sync();
      await files.sync();
      await writeFile(certPath, two.cert);
      await assert.rejects(files.sync(), /belongs to another certificate/);
      await writeFile(keyPath, two.key);
      await files.sync();
    } finally {
      await rm(folder, { recursive: true });
    }

    assert.deepEqual(served, [one.cert, two.cert]);
  });
});
