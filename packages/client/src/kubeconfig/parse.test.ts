import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fuzz, propertyRuns } from "@homeostat/fuzz";
import fc from "fast-check";
import { KubeconfigError } from "./errors.ts";
import type { Kubeconfig } from "./kubeconfig.ts";
import * as yaml from "yaml";
import { parseJson, parseKubeconfig, parseYaml, readKubeconfig } from "./parse.ts";

const location = { file: "/home/dev/.kube/config", folder: "/home/dev/.kube" };
const pem = "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n";

/** Parses a file like `parseKubeconfig`, with the YAML library already loaded. */
function read(text: string): Kubeconfig {
  const json = parseJson(text);
  return readKubeconfig(json === undefined ? parseYaml(text, location.file, yaml) : json.value, location);
}

describe("parseKubeconfig", () => {
  it("parses YAML and JSON, and rejects with a KubeconfigError", async () => {
    const [block, json] = await Promise.all([
      parseKubeconfig("users:\n- name: u\n  user: { token: t }\n", location),
      parseKubeconfig('{"users":[{"name":"u","user":{"token":"t"}}]}', location),
    ]);

    assert.deepEqual(block.users.get("u")?.token, { data: "t" });
    assert.deepEqual(json, block);
    await assert.rejects(parseKubeconfig("users: [", location), KubeconfigError);
    await assert.rejects(parseKubeconfig("users: 5", location), { message: /users: is a number/ });
  });

  it("reads clusters, users and contexts", () => {
    const config = read(
      `
apiVersion: v1
kind: Config
current-context: dev
clusters:
- name: c
  cluster: { server: "https://127.0.0.1:6443", certificate-authority: ca.crt, tls-server-name: kubernetes, proxy-url: "http://proxy:3128" }
users:
- name: u
  user: { client-certificate-data: ${Buffer.from(pem).toString("base64")}, client-key: /keys/u.key, as: other, as-groups: [a, b] }
contexts:
- name: dev
  context: { cluster: c, user: u, namespace: team }
`,
    );

    assert.equal(config.currentContext, "dev");
    assert.deepEqual(config.clusters.get("c"), {
      file: location.file,
      server: "https://127.0.0.1:6443",
      certificateAuthority: { path: "/home/dev/.kube/ca.crt" },
      insecureSkipTlsVerify: false,
      tlsServerName: "kubernetes",
      proxyUrl: "http://proxy:3128",
    });
    const user = config.users.get("u");
    assert.deepEqual(user?.clientCertificate, { data: pem });
    assert.deepEqual(user?.clientKey, { path: "/keys/u.key" });
    assert.deepEqual(user?.impersonate, { user: "other", uid: undefined, groups: ["a", "b"], extra: new Map() });
    assert.deepEqual(config.contexts.get("dev"), { file: location.file, cluster: "c", user: "u", namespace: "team" });
  });

  it("parses JSON and YAML in flow style to the same result", () => {
    const texts = [
      '{"users":[{"name":"u","user":{"token":"t"}}]}',
      "{ users: [{ name: u, user: { token: t } }] }",
      '{"users":[{"name":"__proto__","user":{"__proto__":{"token":"t"}}}]}',
    ];

    const [json, yaml, tricky] = texts.map((text) => read(text));

    assert.deepEqual(json?.users.get("u")?.token, { data: "t" });
    assert.deepEqual(yaml, json);
    assert.equal(tricky?.users.get("__proto__")?.token, undefined);
    assert.throws(() => read('{"users":'), KubeconfigError);
  });

  it("prefers tokenFile to token, and data to a file", () => {
    const config = read(
      "users: [{ name: u, user: { token: t, tokenFile: run/token, client-key-data: QUE9PQ==, client-key: k } }]",
    );

    assert.deepEqual(config.users.get("u")?.token, { path: "/home/dev/.kube/run/token" });
    assert.deepEqual(config.users.get("u")?.clientKey, { data: "AA==" });
  });

  it("reads an exec plugin, and resolves its command against the directory of the file only if it is a path", () => {
    const config = read(
      `users:
- name: a
  user: { exec: { apiVersion: client.authentication.k8s.io/v1, command: aws, args: [eks, get-token], env: [{ name: R, value: eu }], interactiveMode: Never } }
- name: b
  user: { exec: { apiVersion: client.authentication.k8s.io/v1beta1, command: bin/login, provideClusterInfo: true } }`,
    );

    assert.equal(config.users.get("a")?.exec?.command, "aws");
    assert.deepEqual(config.users.get("a")?.exec?.env, [{ name: "R", value: "eu" }]);
    assert.equal(config.users.get("b")?.exec?.command, "/home/dev/.kube/bin/login");
    assert.equal(config.users.get("b")?.exec?.provideClusterInfo, true);
  });

  const faults: [string, string, RegExp][] = [
    ["broken YAML", "a: [1", /^\/home\/dev\/\.kube\/config:1:\d+: is not valid YAML/],
    ["a list at the top", "[]", /is a list, not a mapping/],
    ["another kind", "kind: Pod", /kind: is "Pod", not "Config"/],
    [
      "a number as server",
      "clusters: [{ name: c, cluster: { server: 5 } }]",
      /clusters\[name=c\]\.cluster\.server: is a number, not a string/,
    ],
    ["another protocol", "clusters: [{ name: c, cluster: { server: 'ftp://x' } }]", /not an http or https URL/],
    ["two entries with one name", "users: [{ name: u }, { name: u }]", /users\[1\]\.name: duplicates the name "u"/],
    ["an entry without a name", "users: [{ user: {} }]", /users\[0\]\.name: is missing/],
    [
      "data that is not base64",
      "users: [{ name: u, user: { client-key-data: '???' } }]",
      /users\[name=u\]\.user\.client-key-data: is not base64/,
    ],
    [
      "a removed authentication method",
      "users: [{ name: u, user: { auth-provider: { name: gcp } } }]",
      /removed in 1\.26.*exec plugin/,
    ],
    [
      "an unknown plugin version",
      "users: [{ name: u, user: { exec: { apiVersion: v2, command: x } } }]",
      /exec\.apiVersion: is "v2"/,
    ],
    [
      "a plugin without a command",
      "users: [{ name: u, user: { exec: { apiVersion: client.authentication.k8s.io/v1 } } }]",
      /exec\.command: is missing/,
    ],
    ["groups without a user", "users: [{ name: u, user: { as-groups: [a] } }]", /user\.as: is required/],
  ];
  for (const [what, text, message] of faults) {
    it(`throws an error with file, field and remedy for ${what}`, () => {
      assert.throws(
        () => read(text),
        (error) => error instanceof KubeconfigError && message.test(error.message) && error.message.endsWith("."),
      );
    });
  }

  it("does not repeat secrets in messages", () => {
    for (const text of [
      "users: [{ name: u, user: { token: s3cret, token: s3cret } }]",
      "users: [{ name: u, user: { token: s3cret ]",
    ]) {
      assert.throws(
        () => read(text),
        (error) => error instanceof KubeconfigError && !String(error.stack).includes("s3cret"),
      );
    }
  });

  it("ignores keys that are names of inherited properties", () => {
    const config = read("users: [{ name: __proto__, user: { __proto__: { token: t } } }]");

    assert.equal(config.users.get("__proto__")?.token, undefined);
    assert.equal(Object.hasOwn(Object.prototype, "token"), false);
  });

  it("parses mangled files or throws a KubeconfigError, each within 100 ms", () => {
    const valid = [
      "clusters: [{name: c, cluster: {server: h}}]",
      "users: [{name: u, user: {token: t}}]",
      "users: [{name: u, user: {exec: {command: c}}}]",
      "contexts: [{name: x, context: {user: u}}]",
      "current-context: x",
    ];
    const pieces = [
      "{",
      "}",
      "[",
      "]",
      ": ",
      "- ",
      "&a ",
      "*a",
      "<<: ",
      "!!binary ",
      "'",
      '"',
      "\n",
      "\t",
      "__proto__",
      "name",
      "null",
      "1",
      "|\n",
    ];

    fuzz({
      count: 100_000,
      input: (chance) => chance.mutate(chance.pick(valid), pieces),
      run: (text) => read(text),
      isExpected: (error) => error instanceof KubeconfigError,
    });
  });

  it("parses any text or throws a KubeconfigError", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        try {
          read(text);
        } catch (error) {
          assert.ok(error instanceof KubeconfigError);
        }
      }),
      { numRuns: propertyRuns(2000) },
    );
  });
});
