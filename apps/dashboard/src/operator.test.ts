import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { dashboardCompanion, defineOperator, operatorManifests, runOperator } from "@homeostat/operator";
import { dashboardOperator } from "./operator.ts";

const operator = dashboardOperator({ assets: new URL("assets/", import.meta.url) });

async function call(
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ code: number; text: string }> {
  let text = "";
  const sink = { write: (part: string) => (text += part) };
  const code = await runOperator(operator, { argv, env, stdout: sink, stderr: sink });
  return { code, text };
}

describe("the dashboard as a program", () => {
  it("lists its flags with --help, and refuses wrong values before it connects", async () => {
    const help = await call(["--help"]);
    const wrong = await call(["--port=70000", "--host-names=http://a", "--session-ttl=1s"]);
    const contradiction = await call(["--groups-header=X-Groups"]);

    assert.equal(help.code, 0);
    for (const flag of ["--port", "--host-names", "--user-header", "--proxy-secret-header", "--tls", "--session-ttl"])
      assert.ok(help.text.includes(flag), flag);
    assert.equal(wrong.code, 2);
    for (const flag of ["--port is", "--host-names", "--session-ttl"]) assert.ok(wrong.text.includes(flag), wrong.text);
    assert.equal(contradiction.code, 2);
    assert.match(contradiction.text, /--groups-header requires --user-header/);
  });

  it("ignores the variables that Kubernetes sets for a Service named dashboard", async () => {
    const { text } = await call(["--session-ttl=1s"], { DASHBOARD_PORT: "tcp://10.96.0.7:80" });

    assert.match(text, /--session-ttl/);
    assert.doesNotMatch(text, /tcp:/);
  });

  it("has the manifests that operators install as a companion, under its own name", () => {
    const shop = defineOperator({ name: "shop", companions: [dashboardCompanion("shop")] });
    const settings = { userHeader: "X-User" };
    const own = operatorManifests(operator, { createNamespace: false, settings });
    const installed = operatorManifests(shop, { companions: { "web-dashboard": { settings } } });

    const kinds = own.map(({ kind }) => kind);

    assert.deepEqual(
      kinds,
      installed.filter(({ metadata }) => metadata.name?.includes("web-dashboard")).map(({ kind }) => kind),
    );
    assert.ok(kinds.includes("Deployment") && kinds.includes("ClusterRole"));
  });
});
