import assert from "node:assert/strict";
import { chmod, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { FakeClock, UsageError } from "@homeostat/core";
import { type PortState, transportNames } from "@homeostat/tunnel";
import { destinationOf, serviceOf } from "./cluster-names.ts";
import { startingWith, tunnelAddress } from "./connect-transport.ts";
import { formatHead, parseHead } from "./inject-key.ts";
import { loadMachineKey } from "./machine-key.ts";
import { portOf } from "./ports.ts";
import { processEnvironment } from "./process-environment.ts";
import { mapOf } from "./proxy-command.ts";
import { TargetCheck } from "./target-check.ts";

describe("names of the cluster", () => {
  const names = { namespace: "shop", isKnown: (name: string) => name === "bank" };
  const cases: readonly (readonly [host: string, destination: string | undefined])[] = [
    ["orders", "orders.shop.svc:80"],
    ["orders.bank", "orders.bank.svc:80"],
    ["orders.other.svc", "orders.other.svc:80"],
    ["Orders.Other.SVC.cluster.local.", "orders.other.svc:80"],
    ["example.com", undefined],
    ["www.example.com", undefined],
    ["localhost", undefined],
    ["10.0.0.1", undefined],
    ["::1", undefined],
    ["", undefined],
    ["-x.y.svc", undefined],
  ];
  for (const [host, destination] of cases) {
    it(`lead "${host}" ${destination === undefined ? "out of this machine" : "into the cluster"}`, () => {
      const service = serviceOf(host, 80, names);
      assert.equal(service && destinationOf(service), destination);
    });
  }
});

describe("a request head", () => {
  const head = (text: string) => {
    const parsed = parseHead(Buffer.from(text));
    assert.ok(parsed !== undefined && parsed !== "invalid");
    return parsed;
  };

  it("gets the key, keeps the body and has a connection of its own", () => {
    const parsed = head(
      "POST http://a/x HTTP/1.1\r\nHost: a\r\nConnection: keep-alive\r\nProxy-Authorization: x\r\n\r\nbody",
    );

    const text = formatHead(parsed, { target: "/x", routingKey: "k1" }).toString();

    assert.equal(
      text,
      "POST /x HTTP/1.1\r\nHost: a\r\nbaggage: routing-key=k1\r\nx-routing-key: k1\r\nConnection: close\r\n\r\n",
    );
    assert.equal(parsed.rest.toString(), "body");
  });

  it("keeps a key that it has, and joins baggage", () => {
    const own = formatHead(head("GET / HTTP/1.1\r\nX-Routing-Key: own\r\n\r\n"), { target: "/", routingKey: "k1" });
    assert.doesNotMatch(own.toString(), /k1/);

    const joined = formatHead(head("GET / HTTP/1.1\r\nBaggage: a=b\r\n\r\n"), { target: "/", routingKey: "k1" });
    assert.match(joined.toString(), /Baggage: a=b,routing-key=k1\r\n/);
  });

  it("keeps the connection of an upgrade", () => {
    const text = formatHead(head("GET / HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"), {
      target: "/",
      routingKey: "k",
    }).toString();
    assert.match(text, /\r\nConnection: Upgrade\r\n\r\n$/);
  });

  for (const text of [
    "\x16\x03\x01",
    "PRI * HTTP/2.0\r\n\r\n",
    "GET / HTTP/1.1\r\n folded: x\r\n\r\n",
    "get /\r\n\r\n",
  ]) {
    it(`is not ${JSON.stringify(text)}`, () => {
      assert.equal(parseHead(Buffer.from(text, "latin1")), "invalid");
    });
  }

  it("is awaited until it is complete, but not without end", () => {
    assert.equal(parseHead(Buffer.from("GET / HTTP/1.1\r\nA: b\r\n")), undefined);
    assert.equal(parseHead(Buffer.from(`GET /${"x".repeat(70_000)}`)), "invalid");
  });
});

describe("options of local commands", () => {
  it("read ports, maps and addresses", () => {
    assert.deepEqual(portOf("3000:8080"), { name: "port-8080", localPort: 3_000, containerPort: 8_080 });
    assert.deepEqual(portOf("80"), { name: "port-80", localPort: 80, containerPort: 80 });
    assert.deepEqual(mapOf("http://a.b.svc:80@127.0.0.1:9000"), {
      scheme: "http",
      target: "a.b.svc:80",
      listen: { host: "127.0.0.1", port: 9_000 },
    });
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
    "grpc://a:80@1",
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

describe("the key of a machine", () => {
  it("is created once, readable by its user only, and refused if others can read it", async () => {
    const folder = await mkdtemp(join(tmpdir(), "sandboxctl-"));
    try {
      const [first, second] = await Promise.all([loadMachineKey(folder), loadMachineKey(folder)]);
      assert.equal(first.publicKey, second.publicKey);
      const file = join(folder, "machine-key.pem");
      assert.equal((await stat(file)).mode & 0o777, 0o600);

      await chmod(file, 0o644);
      await assert.rejects(loadMachineKey(folder), /can be read by other users\. Run chmod 600 /);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe("the check of local ports", () => {
  it("reports changes only, and takes connections from the cluster as checks", async () => {
    const clock = new FakeClock();
    let state: PortState = "refused";
    let probes = 0;
    const reported: string[] = [];
    using check = new TargetCheck({
      clock,
      ports: [{ name: "http", host: "127.0.0.1", port: 1 }],
      probe: async () => {
        probes += 1;
        return state;
      },
      onState: (name, is) => void reported.push(`${name} ${is}`),
    });

    check.start();
    await clock.advance(10_000);
    assert.deepEqual(reported, ["http refused"]);
    assert.ok(probes >= 5, String(probes));

    state = "listening";
    await clock.advance(2_000);
    assert.deepEqual(reported, ["http refused", "http listening"]);
    check.note("http", "refused");
    assert.deepEqual(reported.at(-1), "http refused");
  });
});
