import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { connectionOf } from "./connection.ts";
import { KubeconfigError } from "./errors.ts";
import type { Kubeconfig } from "./kubeconfig.ts";
import { mergeKubeconfigs } from "./merge.ts";
import { parseKubeconfig } from "./parse.ts";

describe("mergeKubeconfigs", () => {
  it("uses the first entry of each name, and adds entries of later files", async () => {
    const first = await config("current-context: a\nclusters: [{ name: c, cluster: { server: 'https://one' } }]");
    const second = await config(
      "current-context: b\nclusters: [{ name: c, cluster: { server: 'https://two' } }, { name: d, cluster: { server: 'https://d' } }]",
    );

    const merged = mergeKubeconfigs([first, second]);

    assert.equal(merged.currentContext, "a");
    assert.equal(merged.clusters.get("c")?.server, "https://one");
    assert.equal(merged.clusters.get("d")?.server, "https://d");
  });
});

describe("connectionOf", () => {
  const good = `
current-context: a
clusters: [{ name: c, cluster: { server: "https://h:6443/prefix/" } }, { name: plain, cluster: { server: "localhost:8080" } }]
users: [{ name: u, user: { token: t } }]
contexts: [{ name: a, context: { cluster: c, user: u, namespace: n } }, { name: b, context: { cluster: plain } }]`;

  it("uses the current context", async () => {
    const connection = connectionOf(await config(good));

    assert.equal(connection.server, "https://h:6443/prefix");
    assert.equal(connection.namespace, "n");
    assert.deepEqual(connection.identity?.token, { data: "t" });
  });

  it("uses the given context, adds http to a server without a scheme, and defaults the namespace", async () => {
    const connection = connectionOf(await config(good), "b");

    assert.equal(connection.server, "http://localhost:8080");
    assert.equal(connection.namespace, "default");
  });

  const faults: [string, string, string | undefined, RegExp][] = [
    [
      "no current context",
      "contexts: [{ name: a, context: {} }]",
      undefined,
      /current-context: is not set.*available: a/,
    ],
    ["a context that does not exist", good, "zz", /contexts\[name=zz\]: does not exist.*available: a, b/],
    [
      "a cluster that does not exist",
      "contexts: [{ name: a, context: { cluster: x } }]",
      "a",
      /refers to "x", which is not in clusters/,
    ],
    [
      "no server",
      "clusters: [{ name: c, cluster: {} }]\ncontexts: [{ name: a, context: { cluster: c } }]",
      "a",
      /server: is missing/,
    ],
    [
      "both a CA and no verification",
      "clusters: [{ name: c, cluster: { server: 'https://h', insecure-skip-tls-verify: true, certificate-authority: f } }]\ncontexts: [{ name: a, context: { cluster: c } }]",
      "a",
      /insecure-skip-tls-verify: is true, but/,
    ],
    [
      "a proxy of an unknown kind",
      "clusters: [{ name: c, cluster: { server: 'https://h', proxy-url: 'ftp://p' } }]\ncontexts: [{ name: a, context: { cluster: c } }]",
      "a",
      /proxy-url: is not an http, https or socks5 URL/,
    ],
    [
      "a certificate without a key",
      "clusters: [{ name: c, cluster: { server: 'https://h' } }]\nusers: [{ name: u, user: { client-certificate: f } }]\ncontexts: [{ name: a, context: { cluster: c, user: u } }]",
      "a",
      /client-key: is required with/,
    ],
    [
      "two authentication methods",
      "clusters: [{ name: c, cluster: { server: 'https://h' } }]\nusers: [{ name: u, user: { token: t, username: me } }]\ncontexts: [{ name: a, context: { cluster: c, user: u } }]",
      "a",
      /token: cannot be combined with username/,
    ],
  ];
  for (const [what, text, context, message] of faults) {
    it(`throws an error with the field and a remedy for ${what}`, async () => {
      const found = await config(text);

      assert.throws(
        () => connectionOf(found, context),
        (error) => error instanceof KubeconfigError && message.test(error.message),
      );
    });
  }
});

function config(text: string): Promise<Kubeconfig> {
  return parseKubeconfig(text, { file: "/k/config", folder: "/k" });
}
