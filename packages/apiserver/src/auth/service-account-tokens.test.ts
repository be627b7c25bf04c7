import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { beforeEach, describe, it } from "node:test";
import { type SeededRandom, fuzz } from "@homeostat/fuzz";
import { ArgumentError, ownValue } from "@homeostat/core";
import { readToken, SigningKey, TokenKey } from "./jwt.ts";
import { clock, issuer, key, maker, newTokens, resetTokenObjects, tokenObjects } from "../testing/tokens.ts";
import { issueToken, type TokenResponse, type TokenRequestBody } from "./token-request.ts";
import { Refusal } from "./refusal.ts";

const now = Math.floor(clock.now() / 1000);
const own = { namespace: "default", serviceaccount: { name: "one", uid: "sa-1" } };
const claims = { iss: issuer, aud: [issuer], jti: "j", iat: now, nbf: now, exp: now + 600, "kubernetes.io": own };

function make(body: TokenRequestBody = {}, name = "one"): TokenResponse {
  const issued = issueToken(maker, { namespace: "default", name, body });
  assert.ok(!(issued instanceof Refusal));
  return issued;
}

function refusal(body: TokenRequestBody, name = "one"): Refusal["status"] {
  const issued = issueToken(maker, { namespace: "default", name, body });
  assert.ok(issued instanceof Refusal);
  return issued.status;
}

function tokenIn({ object }: TokenResponse): string {
  const status = ownValue(object, "status");
  assert.ok(typeof status === "object" && status !== null && "token" in status && typeof status.token === "string");
  return status.token;
}

describe("makeToken", () => {
  beforeEach(resetTokenObjects);

  it("issues a token for one hour and this server by default", () => {
    const { object, warnings } = make();

    const { status, ...rest } = object;
    assert.deepEqual(warnings, []);
    assert.deepEqual(rest, {
      kind: "TokenRequest",
      apiVersion: "authentication.k8s.io/v1",
      metadata: { name: "one", namespace: "default", uid: "sa-1", creationTimestamp: "2026-01-02T03:04:05Z" },
      spec: { audiences: [issuer], expirationSeconds: 3600, boundObjectRef: null },
    });
    const read = readToken(tokenIn({ object, warnings }));
    assert.deepEqual(read?.head, { alg: "ES256", kid: key.publicKey.id });
    const { jti, ...claimSet } = read?.claims ?? {};
    assert.match(String(jti), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.deepEqual(claimSet, {
      aud: [issuer],
      exp: now + 3600,
      iat: now,
      iss: issuer,
      "kubernetes.io": own,
      nbf: now,
      sub: "system:serviceaccount:default:one",
    });
    assert.deepEqual(Object.keys(status ?? {}), ["token", "expirationTimestamp"]);
  });

  it("issues a token for one year for the kubelet's default, with the time to warn after", () => {
    const spec = { expirationSeconds: 3607, boundObjectRef: { apiVersion: "v1", kind: "Pod", name: "pod" } };

    const read = readToken(tokenIn(make({ spec })));

    assert.equal(read?.claims["exp"], now + 365 * 24 * 3600);
    assert.deepEqual(read?.claims["kubernetes.io"], {
      ...own,
      node: { name: "worker", uid: "node-1" },
      pod: { name: "pod", uid: "pod-1" },
      warnafter: now + 3607,
    });
  });

  it("shortens a lifetime beyond the limit and warns", () => {
    const issued = issueToken({ ...maker, expirationSecondsMax: 900 }, { namespace: "default", name: "one", body: {} });

    assert.ok(!(issued instanceof Refusal));
    assert.deepEqual(issued.warnings, ["requested expiration of 3600 seconds shortened to 900 seconds"]);
    assert.equal(readToken(tokenIn(issued))?.claims["exp"], now + 900);
  });

  it("refuses invalid requests", () => {
    assert.equal(
      refusal({ spec: { expirationSeconds: 599 } }).message,
      'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes',
    );
    assert.equal(refusal({}, "nobody").message, 'serviceaccounts "nobody" not found');
    assert.equal(refusal({ spec: { boundObjectRef: { kind: "Pod", name: "pod", uid: "x" } } }).code, 409);
    assert.equal(refusal({ spec: { boundObjectRef: { kind: "Cat", name: "pod" } } }).code, 400);
    assert.equal(refusal({ metadata: { uid: "x" } }).code, 409);
  });
});

describe("ServiceAccountTokens", () => {
  beforeEach(resetTokenObjects);

  it("returns the user of a token", () => {
    const spec = { boundObjectRef: { apiVersion: "v1", kind: "Pod", name: "pod" } };
    const token = tokenIn(make({ spec }));

    const holder = newTokens().check(token);

    assert.ok(typeof holder === "object");
    const { extra, ...user } = holder.user;
    assert.deepEqual(user, {
      name: "system:serviceaccount:default:one",
      uid: "sa-1",
      groups: ["system:serviceaccounts", "system:serviceaccounts:default"],
    });
    assert.deepEqual(Object.keys(extra).sort(), [
      "authentication.kubernetes.io/credential-id",
      "authentication.kubernetes.io/node-name",
      "authentication.kubernetes.io/node-uid",
      "authentication.kubernetes.io/pod-name",
      "authentication.kubernetes.io/pod-uid",
    ]);
    assert.deepEqual(holder.audiences, [issuer]);
  });

  const problems: [why: string, claims: object, problem: string | undefined][] = [
    ["expired more than a minute ago", { ...claims, exp: now - 61 }, "service account token has expired"],
    ["is valid only after more than a minute", { ...claims, nbf: now + 62 }, "service account token is not valid yet"],
    ["was issued in the future", { ...claims, iat: now + 62 }, "service account token is issued in the future"],
    [
      "is for another audience",
      { ...claims, aud: ["x"] },
      `token audiences ["x"] is invalid for the target audiences ["${issuer}"]`,
    ],
    ["has another issuer", { ...claims, iss: "x" }, undefined],
    [
      "belongs to an account that was recreated",
      { ...claims, "kubernetes.io": { ...own, serviceaccount: { name: "one", uid: "old" } } },
      "service account UID (sa-1) does not match claim (old)",
    ],
    [
      "belongs to a deleted account",
      { ...claims, "kubernetes.io": { ...own, serviceaccount: { name: "gone", uid: "x" } } },
      'serviceaccounts "gone" not found',
    ],
    [
      "is bound to a deleted pod",
      { ...claims, "kubernetes.io": { ...own, pod: { name: "gone", uid: "x" } } },
      "service account token has been invalidated",
    ],
    [
      "is bound to a node that was recreated",
      { ...claims, "kubernetes.io": { ...own, node: { name: "worker", uid: "old" } } },
      "node UID (node-1) does not match service account node ref claim (old)",
    ],
  ];
  for (const [why, claimSet, problem] of problems) {
    it(`refuses a token that ${why}`, () => {
      assert.equal(newTokens().check(key.sign({ ...claimSet })), problem);
    });
  }

  it("tolerates one minute of clock skew", () => {
    const token = key.sign({ ...claims, exp: now - 50, nbf: now + 50, iat: now + 50 });

    assert.ok(typeof newTokens().check(token) === "object");
  });

  it("refuses a token one minute after its bound object was deleted, although it was valid before", () => {
    const tokens = newTokens();
    const token = key.sign({ ...claims, "kubernetes.io": { ...own, secret: { name: "secret", uid: "secret-1" } } });
    assert.ok(typeof tokens.check(token) === "object");

    tokenObjects.set("secret/default/secret", { uid: "secret-1", deletedAtMs: clock.now() - 61_000 });

    assert.equal(tokens.check(token), "service account token has been invalidated");
  });

  it("refuses signatures of other keys and missing signatures", () => {
    const other = new SigningKey(
      generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    );
    const [head = "", body = "", signature = ""] = key.sign(claims).split(".");
    const none = Buffer.from('{"alg":"none"}').toString("base64url");
    const changed = Buffer.from(JSON.stringify({ ...claims, jti: "k" })).toString("base64url");
    const failed = "go-jose/go-jose: error in cryptographic primitive";

    assert.equal(newTokens().check(other.sign(claims)), "invalid signature, no keys found");
    assert.equal(newTokens().check(`${head}.${changed}.${signature}`), failed);
    assert.equal(newTokens().check(`${none}.${body}.`), failed);
    assert.equal(newTokens().check(`${none}.${body}.${signature}`), failed);
    assert.equal(newTokens([key.publicKey, other.publicKey]).check(other.sign(claims)) === undefined, false);
  });

  for (const [type, options, algorithm] of [
    ["rsa", { modulusLength: 2048 }, "RS256"],
    ["ec", { namedCurve: "P-384" }, "ES384"],
    ["ec", { namedCurve: "P-521" }, "ES512"],
  ] as const) {
    it(`signs with ${algorithm} if the key is of that type`, () => {
      const pair = type === "rsa" ? generateKeyPairSync("rsa", options) : generateKeyPairSync("ec", options);
      const mine = new SigningKey(pair.privateKey.export({ type: "pkcs8", format: "pem" }).toString());
      const token = mine.sign(claims);

      assert.equal(readToken(token)?.head["alg"], algorithm);
      assert.ok(typeof newTokens([mine.publicKey]).check(token) === "object");
      assert.equal(mine.publicKey.toJwk()["kid"], mine.publicKey.id);
    });
  }

  it("reports keys that it cannot use", () => {
    const { privateKey } = generateKeyPairSync("ed25519");

    assert.throws(() => new SigningKey(privateKey.export({ type: "pkcs8", format: "pem" }).toString()), ArgumentError);
    assert.throws(() => new TokenKey("nonsense"), ArgumentError);
  });

  it("refuses malformed tokens without throwing", () => {
    const tokens = newTokens();
    const valid = key.sign(claims);
    const parts = valid.split(".");
    const pieces = [".", "..", "=", "eyJ", "\u0000", "é", " ", "A", "-", "{}", "e30", "bnVsbA", "W10"];
    const hostile = (chance: SeededRandom): string => {
      const json = chance.pick([
        '{"iss":"https://kubernetes.default.svc","__proto__":{"aud":1}}',
        '{"iss":"https://kubernetes.default.svc","kubernetes.io":null,"aud":{}}',
        "[".repeat(chance.int(2000)),
        `{"a":${'{"b":'.repeat(chance.int(500))}`,
        '{"iss":["x"]}',
        "null",
        "1e999",
        '{"iss":"https://kubernetes.default.svc","exp":"x","nbf":-1e308}',
      ]);
      const body = Buffer.from(json).toString("base64url");
      return chance.pick([
        `${parts[0] ?? ""}.${body}.${parts[2] ?? ""}`,
        `${body}.${body}.${body}`,
        `${body}.${parts[1] ?? ""}.x`,
      ]);
    };

    const { accepted } = fuzz({
      count: 100_000,
      input: (chance, n) =>
        n % 2 === 0 ? hostile(chance) : chance.mutate(chance.int(8) === 0 ? valid : valid.slice(0, -60), pieces),
      run: (token) => {
        const holder = tokens.check(token);
        // The last base64 character has unused bits, so changing it may not change the token.
        if (typeof holder === "object")
          assert.equal(
            Buffer.compare(readToken(token)?.signature ?? Buffer.of(), readToken(valid)?.signature ?? Buffer.of()),
            0,
          );
      },
      isExpected: () => false,
    });

    assert.equal(accepted, 100_000);
  });
});
