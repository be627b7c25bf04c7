// Real clients of HTTP/1.1, HTTP/2 and gRPC through the program of apps/proxy, to a baseline and to the fork of a routing key.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Outcome, runProgram } from "../../clients/program.ts";
import { BackgroundProgram } from "../../harness/background-program.ts";
import { whyNoProgram } from "../../harness/debian-programs.ts";
import { buildGrpcGo, buildH2spec, installGrpcJs } from "./programs.ts";
import { failures } from "./h2spec-failures.ts";
import { key, type Stage, startStage } from "./stage.ts";
import { type SeenRequest, Upstream } from "./upstream.ts";

const skip = (await whyNoProgram("curl", "nghttp", "h2load", "go")) ?? false;

for (const engine of ["fast", "safe"] as const) {
  describe(`HTTP clients through the ${engine} engine`, { skip, timeout: 300_000 }, () => {
    const upstreams = { baseline: new Upstream("baseline"), fork: new Upstream("fork") };
    let stage: Stage;

    before(async () => {
      const { baseline, fork } = upstreams;
      stage = await startStage({ baseline: await baseline.start(), fork: await fork.start() }, engine);
    });
    after(async () => {
      await stage?.[Symbol.asyncDispose]();
      for (const each of Object.values(upstreams)) await each[Symbol.asyncDispose]();
    });

    const url = (path: string): string => `http://127.0.0.1:${stage.port}${path}`;
    const withKey = ["-H", `x-routing-key: ${key}`];
    const run = async (command: string, words: readonly string[], input?: string): Promise<Outcome> => {
      const outcome = await runProgram(command, words, input === undefined ? {} : { input });
      assert.equal(outcome.code, 0, `${command}: ${outcome.stderr}${outcome.stdout}`);
      return outcome;
    };
    const curl = async (words: readonly string[], input?: string): Promise<string> =>
      (await run("curl", ["-sS", ...words], input)).stdout;
    const seen = (text: string): SeenRequest => JSON.parse(text) as SeenRequest;

    for (const [version, flags] of [
      ["1.1", ["--http1.1"]],
      ["2.0", ["--http2-prior-knowledge"]],
    ] as const) {
      it(`curl sends requests of HTTP/${version} to the baseline and to the fork`, async () => {
        const baseline = seen(await curl([...flags, url("/name")]));
        const fork = seen(await curl([...flags, ...withKey, "-d", "hello", url("/name")]));

        assert.deepEqual([baseline.server, baseline.version, baseline.key], ["baseline", version, undefined]);
        assert.deepEqual([fork.server, fork.version, fork.key, fork.bodyBytes], ["fork", version, key, 5]);
      });

      it(`curl receives trailers of HTTP/${version}`, async () => {
        assert.match(await curl([...flags, "-i", url("/trailers")]), /\r\n\r\nwith trailersx-checksum: abc\r\n/);
      });
    }

    it("curl asks for an upgrade to HTTP/2 and goes on with HTTP/1.1", async () => {
      const text = await curl(["--http2", "-w", "\n%{http_version}", url("/name")]);

      const [body = "", version] = text.split("\n");
      assert.deepEqual([seen(body).version, version], ["1.1", "1.1"]);
    });

    it("curl waits for 100 Continue, and sends a body in chunks", async () => {
      const body = "x".repeat(1_000_000);
      const words = ["-v", "-H", "expect: 100-continue", "--data-binary", "@-", url("/name")];
      const { stdout, stderr } = await run("curl", ["-sS", ...words], body);
      const chunked = await curl(["-T", "-", "-H", "transfer-encoding: chunked", url("/name")], body);

      assert.match(stderr, /< HTTP\/1\.1 100 Continue/);
      assert.deepEqual([seen(stdout).bodyBytes, seen(chunked).bodyBytes], [body.length, body.length]);
    });

    it("curl uses a connection for several requests", async () => {
      const { stderr } = await run("curl", ["-sS", "-v", url("/name"), url("/name")]);

      assert.match(stderr, /Re-using existing connection/);
    });

    it("nghttp sends requests to the baseline and to the fork", async () => {
      assert.equal(seen((await run("nghttp", [url("/name")])).stdout).server, "baseline");
      assert.equal(seen((await run("nghttp", [...withKey, url("/name")])).stdout).server, "fork");
    });

    it("h2load sends concurrent requests of both protocols without a failure", async () => {
      for (const protocol of [["-m", "20"], ["--h1"]]) {
        const { stdout } = await run("h2load", ["-n", "400", "-c", "4", ...protocol, ...withKey, url("/name")]);

        assert.match(stdout, /400 succeeded, 0 failed, 0 errored, 0 timeout/);
        assert.match(stdout, /status codes: 400 2xx/);
      }
    });

    // The safe engine has the HTTP/2 of Node.
    if (engine === "safe") return;

    it("h2spec finds no other deviation from HTTP/2 than the known ones", async () => {
      const { stderr } = await runProgram(await buildH2spec(), [String(stage.port)]);
      const results = stderr
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as { readonly id: string; readonly outcome: string; readonly actual?: string });

      assert.ok(results.length >= 145, `${results.length} tests`);
      const failed = results.filter(({ outcome }) => outcome === "failed");
      assert.deepEqual(
        failed.map(({ id }) => id),
        failures.map(({ id }) => id),
        JSON.stringify(failed),
      );
      const skipped = results.filter(({ outcome }) => outcome === "skipped").map(({ id }) => id);
      assert.deepEqual(skipped, []);
    });
  });

  describe(`gRPC clients through the ${engine} engine`, { skip, timeout: 600_000 }, () => {
    const servers: BackgroundProgram[] = [];
    let grpcGo = "";
    let stage: Stage;

    before(async () => {
      grpcGo = await buildGrpcGo();
      const start = async (name: string): Promise<string> => {
        const server = new BackgroundProgram(grpcGo, ["server", name]);
        servers.push(server);
        return `127.0.0.1:${await server.firstLine()}`;
      };
      stage = await startStage({ baseline: await start("baseline"), fork: await start("fork") }, engine);
    });
    after(async () => {
      await stage?.[Symbol.asyncDispose]();
      for (const server of servers) await server[Symbol.asyncDispose]();
    });

    for (const [name, routingKey] of [
      ["baseline", ""],
      ["fork", key],
    ] as const) {
      it(`grpc-go reaches the ${name} with calls of every kind`, async () => {
        const words = ["client", `127.0.0.1:${stage.port}`, routingKey, name];
        const { code, stdout, stderr } = await runProgram(grpcGo, words);

        assert.equal(code, 0, stderr);
        assert.equal(stdout.trim().split("\n").length, 9, stdout);
      });

      it(`grpc-js reaches the ${name} with calls of every kind`, async () => {
        const words = [await installGrpcJs(), `127.0.0.1:${stage.port}`, routingKey, name];
        const { code, stdout, stderr } = await runProgram(process.execPath, words);

        assert.equal(code, 0, stderr);
        assert.equal(stdout.trim().split("\n").length, 8, stdout);
      });
    }
  });
}
