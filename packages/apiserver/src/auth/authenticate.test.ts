import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { beforeEach, describe, it } from "node:test";
import { isRecord, ownValue } from "@homeostat/core";
import { issue, makeAuthority } from "@homeostat/x509";
import { Authenticator, type AuthenticatorOptions, bearerOf, type Credentials } from "./authenticate.ts";
import { Refusal } from "./refusal.ts";
import { reviewSelf, reviewToken } from "./reviews.ts";
import { StaticTokens } from "./static-tokens.ts";
import { clock, issuer, maker, newTokens, resetTokenObjects } from "../testing/tokens.ts";
import { issueToken } from "./token-request.ts";

const validity = { validFrom: new Date(0), validUntil: new Date(1e12) };
const authority = makeAuthority({ subject: { commonName: "ca" }, ...validity });
const certificate = new X509Certificate(
  issue(authority, { subject: { commonName: "admin", organization: "system:masters" }, ...validity }).cert,
).raw;
const staticTokens = new StaticTokens([
  { token: "secret", user: "ann", uid: "7", groups: ["red"] },
  { token: "alone", user: "ben" },
  { token: "", user: "nobody" },
]);

function authenticator(options: Partial<AuthenticatorOptions> = {}): Authenticator {
  return new Authenticator({ staticTokens, serviceAccounts: newTokens(), apiAudiences: [issuer], ...options });
}

function nameOf(credentials: Partial<Credentials>, options: Partial<AuthenticatorOptions> = {}): string | number {
  const authenticated = authenticator(options).authenticate({ path: "/api", ...credentials });
  return authenticated instanceof Refusal ? (authenticated.status.code ?? 0) : authenticated.user.name;
}

function goodToken(): string {
  const issued = issueToken(maker, { namespace: "default", name: "one", body: {} });
  assert.ok(!(issued instanceof Refusal));
  const status = ownValue(issued.object, "status");
  assert.ok(isRecord(status));
  return String(status["token"]);
}

describe("Authenticator", () => {
  beforeEach(resetTokenObjects);

  it("uses a certificate before a token, and a token before anonymous access", () => {
    assert.equal(nameOf({ certificate, authorization: "Bearer secret" }), "admin");
    assert.equal(nameOf({ certificate, authorization: "Bearer wrong" }), "admin");
    assert.equal(nameOf({ authorization: "Bearer secret" }), "ann");
    assert.equal(nameOf({ authorization: `Bearer ${goodToken()}` }), "system:serviceaccount:default:one");
  });

  it("accepts the parsed subject of a certificate if a CA of the cluster signed it", () => {
    const peer = { isTrusted: true, commonName: "admin", organizations: ["system:masters"], fingerprint: "AB:CD" };
    const authenticated = authenticator().authenticate({ path: "/", certificate: peer });

    assert.ok(!(authenticated instanceof Refusal));
    assert.deepEqual(authenticated.user, {
      name: "admin",
      uid: "",
      groups: ["system:masters", "system:authenticated"],
      extra: { "authentication.kubernetes.io/credential-id": ["X509SHA256=abcd"] },
    });
    assert.equal(nameOf({ certificate: { ...peer, isTrusted: false } }), 401);
    assert.equal(nameOf({ certificate: { ...peer, isTrusted: false }, authorization: "Bearer secret" }), "ann");
    assert.equal(nameOf({ path: "/healthz", certificate: { ...peer, commonName: "" } }), "system:anonymous");
  });

  it("adds the group of authenticated users", () => {
    const authenticated = authenticator().authenticate({ path: "/", authorization: "Bearer secret" });

    assert.ok(!(authenticated instanceof Refusal));
    assert.deepEqual(authenticated.user, { name: "ann", uid: "7", groups: ["red", "system:authenticated"], extra: {} });
  });

  it("refuses invalid credentials even on paths that need none", () => {
    assert.equal(nameOf({ path: "/healthz", authorization: "Bearer wrong" }), 401);
    assert.equal(nameOf({ path: "/healthz", certificate: Buffer.from("nonsense") }), 401);
    assert.equal(nameOf({ authorization: "Bearer wrong" }, { anonymous: "everywhere" }), 401);
  });

  it("allows anonymous requests for health and version only, unless configured otherwise", () => {
    const paths = ["/healthz", "/livez", "/readyz", "/version", "/api", "/healthz/etcd", "/", "/metrics"];

    assert.deepEqual(
      paths.map((path) => nameOf({ path })),
      [...Array<string>(4).fill("system:anonymous"), ...Array<number>(4).fill(401)],
    );
    assert.equal(nameOf({}, { anonymous: "everywhere" }), "system:anonymous");
    assert.equal(nameOf({ path: "/healthz" }, { anonymous: [] }), 401);
  });

  it("gives no reason in a refusal", () => {
    const authenticated = authenticator().authenticate({ path: "/api" });

    assert.ok(authenticated instanceof Refusal);
    assert.equal(
      JSON.stringify(authenticated.status),
      '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Unauthorized","reason":"Unauthorized","code":401}',
    );
  });
});

describe("bearerOf", () => {
  const rows: [header: string, token: string, warnings: number][] = [
    ["Bearer abc", "abc", 0],
    ["bEARER abc", "abc", 0],
    ["  Bearer abc  ", "abc", 0],
    ["Bearer abc def", "abc", 0],
    ["Bearer  abc", "", 1],
    ["Bearer", "", 0],
    ["Basic abc", "", 0],
    ["abc", "", 0],
    ["", "", 0],
  ];
  for (const [header, token, warnings] of rows) {
    it(`finds ${JSON.stringify(token)} in ${JSON.stringify(header)}`, () => {
      const found = bearerOf(header);

      assert.equal(found.token, token);
      assert.equal(found.warnings.length, warnings);
    });
  }
});

describe("authentication reviews", () => {
  it("return the user and audiences of a token", () => {
    assert.deepEqual(reviewToken({ token: "secret" }, authenticator()), {
      kind: "TokenReview",
      apiVersion: "authentication.k8s.io/v1",
      metadata: {},
      spec: { token: "secret" },
      status: {
        authenticated: true,
        user: { username: "ann", uid: "7", groups: ["red", "system:authenticated"] },
        audiences: [issuer],
      },
    });
  });

  it("return why a token is invalid", () => {
    const status = (token: string, audiences?: string[]): unknown => {
      const review = reviewToken({ token, audiences }, authenticator());
      assert.ok(!(review instanceof Refusal));
      return review["status"];
    };

    assert.deepEqual(status("wrong"), { user: {}, error: "invalid bearer token" });
    assert.deepEqual(status("secret", ["elsewhere"]), { user: {}, error: "invalid bearer token" });
    assert.deepEqual(status(goodToken(), ["x"]), {
      user: {},
      error: `[invalid bearer token, token audiences ["${issuer}"] is invalid for the target audiences ["x"]]`,
    });
    assert.deepEqual(status(" x"), { user: {} });
  });

  it("refuse a review without a token", () => {
    const review = reviewToken({}, authenticator());

    assert.ok(review instanceof Refusal);
    assert.equal(review.status.message, "token is required for TokenReview in authentication");
  });

  it("return the requesting user", () => {
    const review = reviewSelf({ name: "ann", uid: "", groups: ["red"], extra: { a: ["b"] } }, clock);

    assert.deepEqual(review, {
      kind: "SelfSubjectReview",
      apiVersion: "authentication.k8s.io/v1",
      metadata: { creationTimestamp: "2026-01-02T03:04:05Z" },
      status: { userInfo: { username: "ann", groups: ["red"], extra: { a: ["b"] } } },
    });
  });
});
