import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { UsageError } from "@homeostat/core";
import { help, type ProxySettings, readArguments } from "./flags.ts";

function settingsOf(words: readonly string[], environment: Readonly<Record<string, string>> = {}): ProxySettings {
  const read = readArguments(words, environment, "pod-1");
  assert.equal(read.run, "proxy");
  return read.run === "proxy" ? read.settings : assert.fail();
}

describe("arguments of the proxy", () => {
  it("have defaults that fit a pod in a cluster", () => {
    const { role, engine, name, adminPort, services } = settingsOf([]);

    assert.deepEqual(
      { role, engine, name, adminPort, services },
      {
        role: "takeover",
        engine: "fast",
        name: "pod-1",
        adminPort: 9090,
        services: [],
      },
    );
  });

  it("are read from options first, then from the environment", () => {
    const environment = { SANDBOX_PROXY_ADMIN_PORT: "9191", SANDBOX_PROXY_ENGINE: "safe" };

    const { adminPort, engine, services } = settingsOf(["--admin-port=9292", "--services=cart,orders"], environment);

    assert.deepEqual(
      { adminPort, engine, services },
      { adminPort: 9292, engine: "safe", services: ["cart", "orders"] },
    );
  });

  it("are refused with all problems at once", () => {
    const words = ["--role=router", "--admin-port=70000", "--route-server=http://x", "--log-level=loud"];

    assert.throws(
      () => readArguments(words, {}, "pod-1"),
      (error: unknown) => {
        assert.ok(error instanceof UsageError);
        for (const text of ["--role", "--admin-port", "--route-server", "--log-level", "--help"])
          assert.ok(error.message.includes(text), text);
        return true;
      },
    );
  });

  it("are refused if unknown", () => {
    assert.throws(() => readArguments(["--listen=80"], {}, "pod-1"), UsageError);
    assert.throws(() => readArguments(["serve"], {}, "pod-1"), UsageError);
  });

  it("include help that lists every option", () => {
    assert.deepEqual(readArguments(["-h"], {}, ""), { run: "help" });
    assert.deepEqual(readArguments(["--version"], {}, ""), { run: "version" });
    for (const name of ["role", "engine", "route-server", "snapshot-file", "admin-token-file"])
      assert.ok(help.includes(`--${name} `), name);
  });
});
