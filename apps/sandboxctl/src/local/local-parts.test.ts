import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { UsageError } from "@homeostat/core";
import { transportNames } from "@homeostat/tunnel";
import { startingWith, tunnelAddress } from "../tunnel/connect-transport.ts";
import { portOf } from "../localworkload/ports.ts";
import { processEnvironment } from "./process-environment.ts";
import { mapOf } from "./proxy-command.ts";

describe("options of local commands", () => {
  it("read ports, maps and addresses", () => {
    assert.deepEqual(portOf("3000:8080"), { name: "port-8080", localPort: 3_000, containerPort: 8_080 });
    assert.deepEqual(portOf("80"), { name: "port-80", localPort: 80, containerPort: 80 });
    assert.deepEqual(mapOf("http://a.b.svc:80@127.0.0.1:9000"), {
      scheme: "http",
      target: "a.b.svc:80",
      listen: { host: "127.0.0.1", port: 9_000 },
    });
    assert.equal(mapOf("grpc://a.b.svc:80@9000").scheme, "grpc");
    assert.deepEqual(tunnelAddress("wss://tunnel.example.com/v1"), { host: "tunnel.example.com", port: 443 });
    assert.deepEqual(tunnelAddress("[::1]:7443"), { host: "::1", port: 7_443 });
  });

  for (const text of ["", "x", "0", "70000", "1:0", "1:2:3", "-1"]) {
    it(`refuse the port "${text}"`, () => assert.throws(() => portOf(text), UsageError));
  }
  for (const text of [
    "",
    "http://a:80",
    "ftp://a:80@1",
    "http://a:80@0.0.0.0:1",
    "tcp://a@1",
    "tcp://a:80@70000",
    "grpcs://a:80@1",
  ]) {
    it(`refuse the map "${text}"`, () => assert.throws(() => mapOf(text), UsageError));
  }
});

describe("the transports of an attempt", () => {
  it("begin with the one that worked, and stay in order otherwise", () => {
    assert.deepEqual(startingWith(undefined, transportNames), ["tls", "wss", "h2", "kube"]);
    assert.deepEqual(startingWith("kube", transportNames), ["kube", "tls", "wss", "h2"]);
  });
});

describe("the environment of a command", () => {
  it("has the variables of the baseline, but the paths and the shell of this machine", () => {
    const env = processEnvironment({
      own: { PATH: "/bin", LEVEL: "own", NO_PROXY: "example.com" },
      baseline: new Map([
        ["PATH", "/app"],
        ["LEVEL", "info"],
      ]),
      sandbox: { name: "pr", namespace: "shop", routingKey: "k" },
      files: "/tmp/f",
      proxy: "127.0.0.1:1080",
    });

    assert.equal(env["PATH"], "/bin");
    assert.equal(env["LEVEL"], "info");
    assert.equal(env["SANDBOX_ROUTING_KEY"], "k");
    assert.equal(env["SANDBOX_FILES"], "/tmp/f");
    assert.equal(env["http_proxy"], "http://127.0.0.1:1080");
    assert.equal(env["ALL_PROXY"], "socks5h://127.0.0.1:1080");
    assert.equal(env["NO_PROXY"], "example.com,localhost,127.0.0.1,::1");
  });
});
