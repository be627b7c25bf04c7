import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { fuzz } from "@homeostat/fuzz";
import { KubeconfigUnusableError } from "../errors.ts";
import { chosenKubeconfig, parseAccess, parsePlainYaml, readKubeconfig } from "./external.ts";
import { kubeconfigText } from "../certificates/kubeconfig.ts";

const folder = mkdtempSync(join(tmpdir(), "external-test-"));
after(() => rmSync(folder, { recursive: true }));

const parts = { name: "c", server: "https://127.0.0.1:6443", ca: "CA\n", cert: "CERT\n", key: "KEY\n" };

describe("chosenKubeconfig", () => {
  it("ignores the cluster of KUBECONFIG if only that variable is set", () => {
    assert.equal(chosenKubeconfig({ KUBECONFIG: "/home/me/.kube/config" }), undefined);
    assert.equal(chosenKubeconfig({ KUBECONFIG: "/home/me/.kube/config", HOMEOSTAT_E2E: "" }), undefined);
  });

  it("uses it when requested", () => {
    assert.equal(chosenKubeconfig({ KUBECONFIG: "a", HOMEOSTAT_E2E: "kubeconfig" }), "a");
    assert.equal(chosenKubeconfig({ HOMEOSTAT_E2E_KUBECONFIG: "b", KUBECONFIG: "a" }), "b");
  });

  it("rejects unknown modes", () => {
    assert.throws(() => chosenKubeconfig({ KUBECONFIG: "a", HOMEOSTAT_E2E: "yes" }), KubeconfigUnusableError);
    assert.throws(() => chosenKubeconfig({ HOMEOSTAT_E2E: "kubeconfig" }), /KUBECONFIG, which is not set/);
  });
});

describe("reading a kubeconfig", () => {
  const { name: _, ...access } = { ...parts, token: undefined };

  it("reads what this tool writes, whatever the name of the cluster", () => {
    assert.deepEqual(parsePlainYaml(kubeconfigText(parts), folder), access);
    assert.deepEqual(parsePlainYaml(kubeconfigText({ ...parts, name: 'a: "b" #\n- c' }), folder), access);
  });

  it("reads certificates from files next to it", () => {
    writeFileSync(join(folder, "ca.crt"), parts.ca);
    const yaml =
      "clusters:\n- cluster:\n    certificate-authority: ca.crt\n    server: https://x:1\nusers:\n- user:\n    token: t\n";

    assert.deepEqual(parsePlainYaml(yaml, folder), {
      server: "https://x:1",
      ca: "CA\n",
      cert: undefined,
      key: undefined,
      token: "t",
    });
  });

  it("leaves files with several clusters, plug-ins or unusual settings to kubectl", () => {
    const text = kubeconfigText(parts);

    assert.equal(parsePlainYaml(text + text, folder), undefined);
    assert.equal(parsePlainYaml(`${text}\n    exec:\n`, folder), undefined);
    assert.equal(parsePlainYaml(`${text}\n    insecure-skip-tls-verify: true\n`, folder), undefined);
    assert.equal(parsePlainYaml("", folder), undefined);
  });

  it("uses the current context of a JSON file", () => {
    const user = { "client-certificate-data": base64(parts.cert), "client-key-data": base64(parts.key) };
    const config = {
      "current-context": "two",
      contexts: [{ name: "two", context: { cluster: "k", user: "u" } }],
      clusters: [
        { name: "other" },
        { name: "k", cluster: { server: parts.server, "certificate-authority-data": base64(parts.ca) } },
      ],
      users: [{ name: "u", user }],
    };

    assert.deepEqual(parseAccess(config, folder), access);
    assert.equal(parseAccess({ ...config, "current-context": "__proto__" }, folder), undefined);
  });

  it("reports what is wrong with the file", async () => {
    await assert.rejects(readKubeconfig(join(folder, "none"), {}), /none cannot be read/);
    await assert.rejects(readKubeconfig("a:b", {}), /names several files/);
    writeFileSync(join(folder, "odd"), "exec:\n");
    await assert.rejects(
      readKubeconfig(join(folder, "odd"), { PATH: folder, HOME: folder }),
      /needs kubectl to be parsed/,
    );
  });

  it("parses damaged files quickly and without an error", () => {
    const valid = kubeconfigText(parts);
    fuzz({
      count: 100_000,
      seed: 99,
      input: (chance) => {
        const at = chance.int(valid.length);
        const insert = String.fromCharCode(chance.int(128)).repeat(1 + chance.int(3));
        return valid.slice(0, at) + insert + valid.slice(at + chance.int(40));
      },
      run: (source) => {
        const found = parsePlainYaml(source, "/nonexistent");
        assert.ok(found === undefined || found.server.length > 0);
      },
      isExpected: () => false,
    });
    const hostile = [
      " ".repeat(200_000),
      `${"- ".repeat(100_000)}x`,
      `server: ${'"'.repeat(200_000)}`,
      `server:${" ".repeat(200_000)}#`,
    ];
    for (const source of hostile) {
      // CPU time, because other processes may stop this one for longer.
      const before = process.cpuUsage();
      parsePlainYaml(source, folder);
      assert.ok(process.cpuUsage(before).user < 100_000, source.slice(0, 10));
    }
  });
});

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
