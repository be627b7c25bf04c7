// CertificateSigningRequests: the recorded requester, permissions to approve and sign, and validation.

import { type Case, del, get, patch, post, put, type RequestStep } from "../case.ts";

const group = "certificates.k8s.io/v1";
const path = `/apis/${group}/certificatesigningrequests`;
const rbac = "rbac.authorization.k8s.io/v1";

/** Returns `spec.request` of a PKCS#10 request in DER, given as base64. */
const pem = (der: string, type = "CERTIFICATE REQUEST"): string =>
  Buffer.from(`-----BEGIN ${type}-----\n${der}\n-----END ${type}-----\n`).toString("base64");

const ecdsa =
  "MIHaMIGBAgEAMB8xDTALBgNVBAoMBHRlYW0xDjAMBgNVBAMMBWFsaWNlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEfv8dKmVkoYKP6P7CUZFSE+bA3Fyav+VKW7zYaOLbV33TtZmekXjsnZgvVhfEUqc/GKokaG9n+Q0uWa/5oUW+g6AAMAoGCCqGSM49BAMCA0gAMEUCIQCkE8JzpwW6TJav8Y6hPgFVgWHLDih1funoUJS+MVmqFwIgAy1RMUuvF/ET5Q9kEPNDDiMydmrsrkbexRTd+dXZ/Js=";
/** Returns a request whose subject differs from the signed one. */
const tampered = Buffer.from(
  Buffer.from(ecdsa, "base64").toString("latin1").replace("alice", "mallo"),
  "latin1",
).toString("base64");
const ed25519 =
  "MIGPMEMCAQAwEDEOMAwGA1UEAwwFY2Fyb2wwKjAFBgMrZXADIQCIEVThKtuYLku37wqgKMHHg2OSnhaap5CSdWIVG7HYCaAAMAUGAytlcANBAFjmewHDBNPBnrICh2EOwVTBkNSY4F9qwTAXVn3lnYrjkRkOVmxSDmIPQA+u7Wh2qauo3sgXVtYy4nPMrrjfpQg=";
const rsa =
  "MIICUzCCATsCAQAwDjEMMAoGA1UEAwwDYm9iMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA6Ldg3+013MsyElKVnhii6T6m0a945BA+XFKv/MqQt8AlTzgf0d9iok/Yz2BrY7zi8Hu6+R8xYJeCxHO61teDN1rEqkr2mdjKFw8hh8PhIzmcxHpOmAyAftL46qYmf9EdqSfGymw+BqUpd3C/vO41HlE4WZPtdIXTZuBVxMnjEkmDcg3A5P+9Oe0H+eMJjZaj5c5P0M3kx1pnciRXGusVcxQSWGSYhzbINDp17eifd4AM7BRGOFHCM4SG4iqjOByfQ6r+55tdteDDUZnqxCibNmXLdlgWHBDeqZ/AHlD9NkDNajx/HPbJkU1nspymKyex4cNjpWzoIymjkLkF1SNMhwIDAQABoAAwDQYJKoZIhvcNAQELBQADggEBAH+fIG/PmtsB1B0HUnLO/Ys3NFfzPs1+XbNmnPd5DufA5++MSbDOplgoDwtSCjvmk5xWBx3niEXndrl6iQKpc9+JbOlN1Z3pD+CR1kqqQz/+yPWUFXv9gfOP04qGMe7wCCi0QX8AbH3ybSKGD/vmClFuTXXm4m/bs4vtuMxGCc/C2XCQhjeo6LsUCWcuH6oNhYRvmKVZB7DB0kG29QvPVQIzIhc+DdoI31smxBW4o+Mm5Cc3zF20P3PLmYEMc7gpb/Wjo3R6bz3Zocs66XVtAxcgDJtnkVWbHiTWk6+qASRisidT31DV3Io/UjxbnEI3M3cz59RtP2Ltieidg7zbts4=";
/** Requests a certificate for the group `system:masters`. */
const masters =
  "MIHvMIGXAgEAMDUxFzAVBgNVBAoMDnN5c3RlbTptYXN0ZXJzMQowCAYDVQQKDAF4MQ4wDAYDVQQDDAVhbGljZTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABB/aYLHAWi4uleW0lUvaxmIt3XrR3In+PcWq49RC4YtlcIt44x8REar5eqzBKmHxKPPWtBo+/hQd6/d5pE6yxsSgADAKBggqhkjOPQQDAgNHADBEAiBvXBtB7dosLColu5LF2ZSXSDcGQb2Hhrp1Sov0KJEPuAIgH54wx8e/iphEQ3aVM1i7rjnVbvIDQx31lx+pk3gUViA=";
const certificate = pem(
  "MIIBdzCCAR2gAwIBAgIUYfwBSPeJlr9WOiupEcwiotN11yIwCgYIKoZIzj0EAwIwEDEOMAwGA1UEAwwFYWxpY2UwIBcNMjYxMTE3MDU1ODQ4WhgPMjEyNjEwMjQwNTU4NDhaMBAxDjAMBgNVBAMMBWFsaWNlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEfv8dKmVkoYKP6P7CUZFSE+bA3Fyav+VKW7zYaOLbV33TtZmekXjsnZgvVhfEUqc/GKokaG9n+Q0uWa/5oUW+g6NTMFEwHQYDVR0OBBYEFBXUyyOiGvv0RuDKMzivFbO+lPKnMB8GA1UdIwQYMBaAFBXUyyOiGvv0RuDKMzivFbO+lPKnMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIgWXqkMQ6vB0+9Jr3aUTfGIf/WWFe7c5VkW38MUrpcCXcCIQCFJ7BxzCnHgCWNVNWzZKlCQLidtz5GQFIzByKmpXELIw==",
  "CERTIFICATE",
);

const request = (spec: object = {}, name = "{ns}"): object => ({
  apiVersion: group,
  kind: "CertificateSigningRequest",
  metadata: { name },
  spec: { request: pem(ecdsa), signerName: "example.com/signer", usages: ["client auth"], ...spec },
});
const forged = { username: "system:admin", uid: "forged", groups: ["system:masters"], extra: { scopes: ["forged"] } };

/** Impersonates a user with permissions of the group. */
const alice = {
  headers: {
    "impersonate-user": "alice",
    "impersonate-group": "system:masters",
    "impersonate-uid": "alice-uid",
    "impersonate-extra-scopes": "view",
  },
};
const signer = { headers: { "impersonate-user": "signer-{ns}" } };

const role = (rules: object[]): object => ({
  apiVersion: rbac,
  kind: "ClusterRole",
  metadata: { name: "{ns}" },
  rules,
});
const onRequests = {
  apiGroups: ["certificates.k8s.io"],
  resources: ["certificatesigningrequests/approval", "certificatesigningrequests/status"],
  verbs: ["update", "patch"],
};
const onSigners = (name: string): object => ({
  apiGroups: ["certificates.k8s.io"],
  resources: ["signers"],
  resourceNames: [name],
  verbs: ["approve", "sign"],
});
const binding = {
  apiVersion: rbac,
  kind: "ClusterRoleBinding",
  metadata: { name: "{ns}" },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "{ns}" },
  subjects: [{ kind: "User", name: "signer-{ns}", apiGroup: "rbac.authorization.k8s.io" }],
};

const condition = (type: string, status = "True"): object => ({ type, status, reason: "Case", message: "m" });
const onPart = (part: string, status: object, extra: Pick<RequestStep, "headers"> = alice): RequestStep =>
  patch("merge", `${path}/{ns}/${part}?fieldManager=t`, { status }, extra);

export const certificateCases: readonly Case[] = [
  {
    name: "the requester is recorded, whichever user the body names",
    steps: [
      post(`${path}?fieldManager=t`, request(forged), alice),
      get(`${path}/{ns}`),
      put(`${path}/{ns}?fieldManager=t`, request({ ...forged, signerName: "example.com/other" }), alice),
      patch("merge", `${path}/{ns}?fieldManager=t`, { metadata: { labels: { a: "b" } }, spec: forged }, alice),
      patch("json", `${path}/{ns}?fieldManager=t`, [{ op: "replace", path: "/spec/username", value: "x" }], alice),
      del(`${path}/{ns}`),
    ],
  },
  {
    name: "an applied request records the requester",
    steps: [
      patch("apply", `${path}/{ns}?fieldManager=t`, request({ ...forged }), alice),
      patch("apply", `${path}/{ns}?fieldManager=t&force=true`, request({ username: "other" }), alice),
      del(`${path}/{ns}`),
    ],
  },
  {
    name: "a status in the body of a new request is dropped",
    steps: [
      post(path, { ...request(), status: { certificate, conditions: [condition("Approved")] } }, alice),
      del(`${path}/{ns}`),
    ],
  },
  ...[ed25519, rsa].map((der, index): Case => ({
    name: `a request signed with another algorithm (${index})`,
    steps: [post(path, request({ request: pem(der) }), alice), del(`${path}/{ns}`)],
  })),
  {
    name: "invalid requests",
    steps: [
      post(path, request({ request: "YQ==", usages: [] }), alice),
      post(path, request({ request: pem(tampered) }), alice),
      post(path, request({ request: pem(ecdsa, "NEW CERTIFICATE REQUEST") }), alice),
      post(path, request({ usages: ["bogus", "client auth", "client auth"] }), alice),
      post(path, request({ expirationSeconds: 599 }), alice),
      post(path, request({}, "a/b"), alice),
    ],
  },
  {
    name: "invalid names of signers",
    steps: ["", "nodomain", "a/b", "a.b/c/d", "A.com/B", "kubernetes.io/legacy-unknown", "-.b/c"].map((signerName) =>
      post(path, request({ signerName }), alice),
    ),
  },
  {
    name: "a client certificate for system:masters",
    steps: [
      post(path, request({ request: pem(masters), signerName: "kubernetes.io/kube-apiserver-client" }), alice),
      post(path, request({ request: pem(masters), signerName: "example.com/signer" }), alice),
      del(`${path}/{ns}`),
    ],
  },
  {
    name: "approval and signing need permissions on the signer",
    steps: [
      post(path, request(), alice),
      post(`/apis/${rbac}/clusterroles`, role([onRequests])),
      post(`/apis/${rbac}/clusterrolebindings`, binding),
      { do: "until", path: `/apis/${rbac}/clusterrolebindings/{ns}`, status: 200 },
      onPart("approval", { conditions: [condition("Approved")] }, signer),
      onPart("status", { certificate }, signer),
      onPart("status", {}, signer),
      put(`/apis/${rbac}/clusterroles/{ns}`, role([onRequests, onSigners("example.org/*")])),
      onPart("approval", { conditions: [condition("Approved")] }, signer),
      put(`/apis/${rbac}/clusterroles/{ns}`, role([onRequests, onSigners("example.com/*")])),
      onPart("approval", { conditions: [condition("Approved")] }, signer),
      onPart("status", { certificate }, signer),
      del(`/apis/${rbac}/clusterrolebindings/{ns}`),
      del(`/apis/${rbac}/clusterroles/{ns}`),
      del(`${path}/{ns}`),
    ],
  },
  {
    name: "approval changes conditions only",
    steps: [
      post(path, request(), alice),
      onPart("approval", { certificate, conditions: [condition("Approved")] }),
      onPart("approval", { conditions: [condition("Approved"), condition("Denied")] }),
      onPart("approval", { conditions: [condition("Approved"), condition("Approved")] }),
      onPart("approval", { conditions: [condition("Denied")] }),
      onPart("approval", { conditions: [] }),
      onPart("approval", { conditions: [condition("Approved", "False")] }),
      onPart("approval", { conditions: [{ type: "Approved", status: "True" }, { type: "Other" }] }),
      onPart("approval", { conditions: [condition("Approved"), condition("Other", "Perhaps")] }),
      onPart("approval", { conditions: [condition("Approved"), condition("", "True")] }),
      del(`${path}/{ns}`),
    ],
  },
  {
    name: "status sets the certificate once",
    steps: [
      post(path, request(), alice),
      onPart("status", { conditions: [condition("Approved")] }),
      onPart("status", { certificate: "YQ==" }),
      onPart("status", { certificate: pem("AAAA", "PRIVATE KEY") }),
      onPart("approval", { conditions: [condition("Approved")] }),
      onPart("status", { certificate, conditions: [{ ...condition("Approved"), message: "other" }] }),
      onPart("status", { certificate: pem("AAAA", "CERTIFICATE") }),
      onPart("status", { certificate: null }),
      onPart("status", { conditions: [condition("Approved"), condition("Failed")] }),
      get(`${path}/{ns}`, { headers: { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" } }),
      del(`${path}/{ns}`),
    ],
  },
];
