import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { DeepReadonly } from "homeostat";
import type { Secret } from "@homeostat/kubernetes/core/v1";
import type { ResolvedRedis } from "../build/resolve.ts";
import { type CredentialsDecision, decideCredentials } from "./decide-credentials.ts";

type Security = NonNullable<ResolvedRedis["security"]>;

const generated: Security = { authSecret: undefined, rotationIntervalMs: undefined };
const elsewhere: Security = {
  authSecret: { namespace: "tenant-acme", name: "mine", key: "secret-word", sharedWith: undefined },
  rotationIntervalMs: undefined,
};
const shared: Security = {
  authSecret: { namespace: "neurallog-system", name: "mine", key: "secret-word", sharedWith: "acme" },
  rotationIntervalMs: undefined,
};
const consent = (tenants: string): Record<string, string> => ({ "neurallog.io/shared-with-tenants": tenants });
const password = "given-password-0123456789";

function secret(data: Record<string, string>, annotations: Record<string, string> = {}): DeepReadonly<Secret> {
  const encoded = Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString("base64")]);
  return { apiVersion: "v1", kind: "Secret", metadata: { annotations }, data: Object.fromEntries(encoded) };
}

function decide(input: Partial<Parameters<typeof decideCredentials>[0]>): CredentialsDecision {
  return decideCredentials({
    own: undefined,
    given: undefined,
    security: generated,
    token: undefined,
    hadRedis: false,
    rolloutOf: () => ({ isRedisRolled: true, areReplicasRolled: true, isServerRolled: true, isHibernated: false }),
    nowMs: 1000,
    secureBytes: (count) => new Uint8Array(count).fill(7),
    ...input,
  });
}

describe("decideCredentials", () => {
  it("generates a password when there is none, and treats an existing token as served", () => {
    const decision = decide({ token: "x" });

    assert.deepEqual(decision, {
      state: "known",
      credentials: {
        step: "done",
        password: Buffer.alloc(32, 7).toString("base64url"),
        token: "x",
        stepAtMs: 1000,
        rotatedAtMs: 1000,
      },
      event: undefined,
      isStalled: false,
      problem: undefined,
    });
  });

  it("reports SecretRecreated when the Secret was lost or broken", () => {
    const lost = decide({ hadRedis: true });
    const broken = decide({ own: secret({ password: "short" }) });

    assert.equal(lost.state === "known" && lost.event, "SecretRecreated");
    assert.equal(broken.state === "known" && broken.event, "SecretRecreated");
  });

  it("copies the password of authSecret", () => {
    const decision = decide({ security: elsewhere, given: secret({ "secret-word": password }) });

    assert.equal(decision.state === "known" && decision.credentials.password, password);
  });

  for (const [what, given, problem] of [
    ["does not exist", undefined, /Secret tenant-acme\/mine.* does not exist/],
    ["lacks the key", secret({ password }), /has no key "secret-word"/],
    ["lacks the key and has a hostile one", secret({ ["__proto__"]: password }), /has no key "secret-word"/],
    ["holds an invalid password", secret({ "secret-word": "p4ss word" }), /16 to 128 characters/],
  ] as const) {
    it(`waits for an authSecret that ${what}, and reports why`, () => {
      const decision = decide({ security: elsewhere, given });

      assert.equal(decision.state, "waiting");
      assert.match((decision.state === "waiting" && decision.problem) || "", problem);
      assert.ok(!JSON.stringify(decision).includes("p4ss word"), "the content of the Secret is not revealed");
    });
  }

  for (const tenants of ["acme", "beta,acme", " beta , acme ", "acme,"]) {
    it(`copies the password of a Secret that is shared with ${JSON.stringify(tenants)}`, () => {
      const decision = decide({ security: shared, given: secret({ "secret-word": password }, consent(tenants)) });

      assert.equal(decision.state === "known" && decision.credentials.password, password);
    });
  }

  it("does not copy a Secret of the operator's namespace without consent, or reveal whether it exists", () => {
    const refusals = [
      undefined,
      secret({ "secret-word": password }),
      secret({ password }),
      ...["", " ", "*", "acme*", "a*", "Acme", "acmex", "xacme", "beta acme", "acme;beta", "acme\u200B"].map(
        (tenants) => secret({ "secret-word": password }, consent(tenants)),
      ),
    ].map((given) => decide({ security: shared, given }));

    const [first] = refusals;
    assert.deepEqual(first, {
      state: "waiting",
      problem:
        "Secret neurallog-system/mine with the Redis password does not exist or is not shared with this tenant; " +
        "ask an administrator for a Secret with the annotation neurallog.io/shared-with-tenants that names acme",
    });
    for (const refusal of refusals) assert.deepEqual(refusal, first);
  });

  it("reports the problem of a shared Secret", () => {
    const decision = decide({ security: shared, given: secret({ password }, consent("acme")) });

    assert.match((decision.state === "waiting" && decision.problem) || "", /has no key "secret-word"/);
  });

  it("keeps the current password and copies no later one after the consent is removed", () => {
    const own = secret({ password }, { "neurallog.io/rotation-step": "done" });
    const given = secret({ "secret-word": "another-password-0123" });

    const decision = decide({ own, security: { ...shared, rotationIntervalMs: 1 }, given, token: "new" });

    assert.equal(decision.state === "known" && decision.credentials.password, password);
    assert.equal(decision.state === "known" && decision.credentials.step, "done");
    assert.match((decision.state === "known" && decision.problem) || "", /is not shared with this tenant/);
  });

  it("completes a rotation to a password that was shared when it started", () => {
    const own = secret(
      { password, "previous-password": "previous-password-01" },
      { "neurallog.io/rotation-step": "overlap" },
    );
    const given = secret({ "secret-word": "another-password-0123" });

    const decision = decide({ own, security: shared, given });

    assert.equal(decision.state === "known" && decision.credentials.step, "clients");
    assert.equal(decision.state === "known" && decision.credentials.password, password);
  });

  it("keeps the current password while authSecret cannot be used, and says why", () => {
    const own = secret({ password }, { "neurallog.io/rotation-step": "done" });

    const decision = decide({ own, security: { ...elsewhere, rotationIntervalMs: 1 }, token: "new" });

    assert.equal(decision.state === "known" && decision.credentials.password, password);
    assert.equal(decision.state === "known" && decision.credentials.step, "done");
    assert.match((decision.state === "known" && decision.problem) || "", /does not exist/);
  });

  it("completes a rotation while authSecret is missing", () => {
    const own = secret(
      { password, "previous-password": "previous-password-01" },
      { "neurallog.io/rotation-step": "overlap" },
    );

    const decision = decide({ own, security: elsewhere });

    assert.equal(decision.state === "known" && decision.credentials.step, "clients");
  });

  it("starts a rotation when authSecret has another password", () => {
    const decision = decide({
      own: secret({ password }),
      security: elsewhere,
      given: secret({ "secret-word": "another-password-0123" }),
    });

    assert.deepEqual(decision.state === "known" && decision.credentials, {
      step: "overlap",
      password: "another-password-0123",
      previous: password,
      token: undefined,
      stepAtMs: 1000,
      rotatedAtMs: 1000,
    });
  });

  it("cuts the token to what the status can hold", () => {
    const decision = decide({ own: secret({ password }), token: "x".repeat(1000) });

    assert.equal(decision.state === "known" && decision.credentials.token?.length, 256);
  });
});
