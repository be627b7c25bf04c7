import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { sample } from "../testing/sample-operator.ts";
import { parseBindAddress, runFlagsOf } from "../flags/run-flags.ts";
import { runOperator } from "./run-operator.ts";

let folder = "";
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "operator-"));
});
after(() => rm(folder, { recursive: true, force: true }));

async function call(argv: readonly string[], env: Record<string, string> = {}) {
  const out: string[] = [];
  const err: string[] = [];
  const code = await runOperator(sample, {
    argv,
    env: { HOME: folder, ...env },
    stdout: { write: (text) => out.push(text) },
    stderr: { write: (text) => err.push(text) },
  });
  return { code, out: out.join(""), err: err.join("") };
}

describe("runOperator", () => {
  it("prints the help of each command", async () => {
    const { code, out, err } = await call(["--help"]);

    assert.deepEqual([code, err], [0, ""]);
    for (const part of ["shop-operator manifests", "--max-orders number", "--leader-elect", "$LOG_LEVEL"]) {
      assert.ok(out.includes(part), part);
    }
    assert.match((await call(["manifests", "--help"])).out, /--user-roles/);
    assert.match((await call(["chart", "--help"])).out, /--chart-version/);
  });

  it("defaults --metrics-secure to the operator's installation", () => {
    const defaults = [{}, { metricsSecure: false }, { metricsSecure: true }].map(
      (installation) => runFlagsOf({ installation }).metricsSecure.default,
    );

    assert.deepEqual(defaults, [false, false, true]);
  });

  it("prints the version", async () => {
    assert.deepEqual(await call(["version"]), { code: 0, out: "1.2.0\n", err: "" });
    assert.deepEqual(await call(["--version"]), { code: 0, out: "1.2.0\n", err: "" });
  });

  it("lists all problems of the command line and exits with 2", async () => {
    const { code, err } = await call(["--log-level=loud", "--max-orders=0", "--what", "word"], { WEBHOOK_PORT: "x" });

    assert.equal(code, 2);
    for (const part of [
      "--log-level is",
      "--max-orders is",
      "unknown flag --what",
      "unexpected argument: word",
      "WEBHOOK_PORT",
    ]) {
      assert.ok(err.includes(part), `${part} in ${err}`);
    }
    assert.equal((await call(["destroy"])).code, 2);
    assert.equal((await call(["chart"])).code, 2);
    assert.equal((await call(["toString"])).code, 2);
  });

  it("prints the problem of a kubeconfig and exits with 1", async () => {
    const missing = await call(["--kubeconfig", join(folder, "none")]);
    const broken = join(folder, "broken");
    await writeFile(broken, "apiVersion: v1\nkind: Config\nclusters: 5\n");

    const { code, err } = await call(["--kubeconfig", broken]);

    assert.equal(missing.code, 1);
    assert.match(missing.err, /none: does not exist\. Check the path\.\n$/);
    assert.equal(code, 1);
    assert.match(err, /broken: clusters/);
    assert.match((await call([])).err, /Set KUBECONFIG to the path of a kubeconfig/);
  });

  it("prints manifests according to the flags, regardless of the environment", async () => {
    const env = { MAX_ORDERS: "7", WATCH_NAMESPACES: "env" };

    const { code, out } = await call(
      ["manifests", "--namespace=shop", "--image=a:b", "--max-orders=5", "--replicas=3"],
      env,
    );

    assert.equal(code, 0);
    for (const part of ["namespace: shop\n", 'image: "a:b"', '"--max-orders=5"', "replicas: 3"]) {
      assert.ok(out.includes(part), part);
    }
    assert.doesNotMatch(out, /watch-namespaces/);
    const crds = await call(["manifests", "--only=crds"]);
    assert.deepEqual([...new Set(crds.out.match(/^kind: .*$/gm))], ["kind: CustomResourceDefinition"]);
  });

  it("writes the chart, and warns about templates that are not part of it", async () => {
    const target = join(folder, "chart");
    await call(["chart", target]);
    await writeFile(join(target, "templates", "old.yaml"), "");

    const { code, err } = await call(["chart", target, "--chart-version=9.0.0"]);

    assert.equal(code, 0);
    assert.match(err, /templates\/old\.yaml is not part of this chart/);
    assert.ok((await readdir(join(target, "templates"))).includes("deployment.yaml"));
  });
});

describe("parseBindAddress", () => {
  it("accepts a port, a host and a port, or 0 for none", () => {
    assert.deepEqual(parseBindAddress(":80"), { host: undefined, port: 80 });
    assert.deepEqual(parseBindAddress("127.0.0.1:80"), { host: "127.0.0.1", port: 80 });
    assert.deepEqual(parseBindAddress("[::1]:80"), { host: "::1", port: 80 });
    assert.equal(parseBindAddress("0"), false);
    for (const wrong of ["80", "a:b", ":99999", "::1:80", "a b:80"])
      assert.equal(parseBindAddress(wrong), undefined, wrong);
  });
});
