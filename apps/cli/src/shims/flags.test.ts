import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { etcdFlags } from "./etcd.ts";
import { flagHelp, lastValue, listValue, readFlags } from "./flags.ts";
import { readApiserverSettings, kubeApiserverFlags } from "./kube-apiserver-flags.ts";

describe("shim flags", () => {
  it("are parsed in the forms that Go programs accept", () => {
    const flags = readFlags(["--a=1", "--b", "2", "--c", "--d=", "-e=x=y", "stray", "--a=3"]);

    assert.deepEqual([...flags], Object.entries({ a: ["1", "3"], b: ["2"], c: ["true"], d: [""], e: ["x=y"] }));
    assert.equal(lastValue(flags, "a"), "3");
    assert.equal(lastValue(flags, "d"), undefined);
    assert.deepEqual(listValue(readFlags(["--m=A,B", "--m=C"]), "m"), ["A", "B", "C"]);
  });

  it("are listed in the help in the form that envtest searches for", () => {
    const has = (help: string, flag: string): boolean => new RegExp(String.raw`^\s*--${flag}\b`, "m").test(help);

    assert.ok(has(flagHelp("etcd", etcdFlags), "unsafe-no-fsync"));
    assert.ok(has(flagHelp("kube-apiserver", kubeApiserverFlags), "secure-port"));
    assert.ok(!has(flagHelp("kube-apiserver", kubeApiserverFlags), "insecure-port"));
  });
});

describe("readApiserverSettings", () => {
  it("maps the flags that envtest sets", () => {
    const words = [
      "--allow-privileged=true",
      "--authorization-mode=RBAC",
      "--bind-address=127.0.0.1",
      "--cert-dir=/certs",
      "--client-ca-file=/certs/client-cert-auth-ca.crt",
      "--disable-admission-plugins=ServiceAccount",
      "--etcd-servers=http://127.0.0.1:1",
      "--secure-port=2",
      "--service-account-issuer=https://127.0.0.1:2/",
      "--service-account-key-file=/certs/sa-signer.crt",
      "--service-account-signing-key-file=/certs/sa-signer.key",
      "--service-cluster-ip-range=10.0.0.0/24",
    ];

    assert.deepEqual(readApiserverSettings(readFlags(words)), {
      port: 2,
      host: "127.0.0.1",
      certDir: "/certs",
      certFile: undefined,
      keyFile: undefined,
      clientAuthorityFile: "/certs/client-cert-auth-ca.crt",
      tokenFile: undefined,
      signingKeyFile: "/certs/sa-signer.key",
      issuer: "https://127.0.0.1:2/",
      audiences: [],
      serviceNetwork: "10.0.0.0/24",
      authorization: "rbac",
      isAnonymousServed: true,
      disabledSteps: ["ServiceAccount"],
      eventTtlMs: undefined,
      auditLogPath: undefined,
      ignored: [],
    });
  });

  it("lists flags that have no effect", () => {
    const { ignored, eventTtlMs } = readApiserverSettings(
      readFlags(["--audit-webhook-mode=batch", "--event-ttl=1h30m0s"]),
    );

    assert.deepEqual(ignored, ["audit-webhook-mode"]);
    assert.equal(eventTtlMs, 5_400_000);
  });

  it("disables anonymous access with AlwaysAllow authorization", () => {
    assert.equal(readApiserverSettings(readFlags([])).isAnonymousServed, false);
    assert.equal(readApiserverSettings(readFlags(["--authorization-mode=Node,RBAC"])).isAnonymousServed, true);
    const off = ["--authorization-mode=RBAC", "--anonymous-auth=false"];
    assert.equal(readApiserverSettings(readFlags(off)).isAnonymousServed, false);
  });
});
