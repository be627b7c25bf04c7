import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock, type JsonRecord, SeededRandom } from "@homeostat/core";
import { ApiServer } from "../../../server/api-server.ts";
import { ask, type Told } from "../../../testing/ask.ts";
import { standardOptions } from "../../../server/standard-options.ts";
import { valueAt } from "../../../values/fields.ts";

const path = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
/** Signed with an ECDSA key; its subject is `/O=team/CN=alice`. */
const der =
  "MIHaMIGBAgEAMB8xDTALBgNVBAoMBHRlYW0xDjAMBgNVBAMMBWFsaWNlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEfv8dKmVkoYKP6P7CUZFSE+bA3Fyav+VKW7zYaOLbV33TtZmekXjsnZgvVhfEUqc/GKokaG9n+Q0uWa/5oUW+g6AAMAoGCCqGSM49BAMCA0gAMEUCIQCkE8JzpwW6TJav8Y6hPgFVgWHLDih1funoUJS+MVmqFwIgAy1RMUuvF/ET5Q9kEPNDDiMydmrsrkbexRTd+dXZ/Js=";
const pem = (base64: string): string =>
  Buffer.from(`-----BEGIN CERTIFICATE REQUEST-----\n${base64}\n-----END CERTIFICATE REQUEST-----\n`).toString("base64");
const forged = { username: "system:admin", uid: "forged", groups: ["system:masters"], extra: { a: ["forged"] } };

function request(spec: JsonRecord = {}): JsonRecord {
  return {
    apiVersion: "certificates.k8s.io/v1",
    kind: "CertificateSigningRequest",
    metadata: { name: "a" },
    spec: { request: pem(der), signerName: "example.com/signer", usages: ["client auth"], ...spec },
  };
}

function newServer(): ApiServer {
  return new ApiServer(
    standardOptions({
      clock: new FakeClock({ now: Date.parse("2026-01-02T03:04:05Z") }),
      random: new SeededRandom(1),
    }),
  );
}

/** Grants a user all rights on signing requests and both subresources, but none on signers. */
async function allow(server: ApiServer, user: string): Promise<void> {
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  const resources = ["", "/status", "/approval"].map((part) => `certificatesigningrequests${part}`);
  await ask(server, {
    method: "POST",
    path: `${rbac}/clusterroles`,
    body: {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name: user },
      rules: [{ apiGroups: ["certificates.k8s.io"], resources, verbs: ["*"] }],
    },
  });
  await ask(server, {
    method: "POST",
    path: `${rbac}/clusterrolebindings`,
    body: {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name: user },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: user },
      subjects: [{ kind: "User", name: user, apiGroup: "rbac.authorization.k8s.io" }],
    },
  });
}

function requesterOf({ body }: Told): unknown[] {
  return ["username", "uid", "groups", "extra"].map((field) => valueAt(body, "spec", field));
}

describe("a CertificateSigningRequest", () => {
  it("records the authenticated requester and ignores the identity in the body", async () => {
    await using server = newServer();
    await allow(server, "mallory");

    const made = await ask(server, { method: "POST", path, body: request(forged), user: "mallory" });
    const replaced = await ask(server, { method: "PUT", path: `${path}/a`, body: request(forged), user: "mallory" });
    const patched = await ask(server, {
      method: "PATCH",
      path: `${path}/a`,
      headers: { "content-type": "application/merge-patch+json" },
      body: { spec: forged },
    });

    assert.deepEqual([made.status, replaced.status, patched.status], [201, 200, 200]);
    for (const told of [made, replaced, patched]) {
      assert.deepEqual(requesterOf(told), [
        "mallory",
        undefined,
        ["system:authenticated"],
        { "authentication.kubernetes.io/credential-id": ["X509SHA256=aa"] },
      ]);
    }
  });

  it("is approved and signed only with rights on its signer", async () => {
    await using server = newServer();
    await allow(server, "mallory");
    await ask(server, { method: "POST", path, body: request(), user: "mallory" });
    const conditions = [{ type: "Approved", status: "True", reason: "r", message: "m" }];
    const body = { ...request({ signerName: "example.org/mine" }), status: { conditions } };

    const approved = await ask(server, { method: "PUT", path: `${path}/a/approval`, body, user: "mallory" });
    const failed = { ...request(), status: { conditions: [{ ...conditions[0], type: "Failed" }] } };
    const signed = await ask(server, { method: "PUT", path: `${path}/a/status`, body: failed, user: "mallory" });
    const byAdmin = await ask(server, { method: "PUT", path: `${path}/a/approval`, body });

    assert.match(String(approved.body["message"]), /not permitted to approve requests with signerName "example.com/);
    assert.match(String(signed.body["message"]), /not permitted to sign requests with signerName "example.com/);
    assert.deepEqual([approved.status, signed.status, byAdmin.status], [403, 403, 200]);
  });

  it("is rejected when its signature does not match", async () => {
    await using server = newServer();
    const bytes = Buffer.from(der, "base64").toString("latin1").replace("alice", "mallo");
    const tampered = pem(Buffer.from(bytes, "latin1").toString("base64"));

    const told = await ask(server, { method: "POST", path, body: request({ request: tampered }) });

    assert.equal(told.status, 422);
    assert.match(String(told.body["message"]), /spec\.request: Invalid value: .*: x509: ECDSA verification failure/);
  });
});
