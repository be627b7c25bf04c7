import assert from "node:assert/strict";
import { connect } from "node:net";
import { describe, it } from "node:test";
import { modelContainer } from "@homeostat/cluster/app-model";
import { FakeClock, SeededRandom } from "@homeostat/core";
import { isSlow } from "@homeostat/fuzz/is-slow";
import { eventually } from "@homeostat/operator-testing";
import { RedisDatabase } from "./database.ts";
import { redisModel } from "./redis.ts";
import { readCommand, writeReply } from "./resp.ts";
import { hashOf, redisSettings } from "./settings.ts";

function database(...args: string[]): { run: (line: string) => string; clock: FakeClock } {
  const clock = new FakeClock();
  const { context } = modelContainer({ image: "redis:7", args }, { clock });
  const data = new RedisDatabase(redisSettings(context), { clock, random: new SeededRandom(1) });
  const session = data.open();
  return {
    clock,
    run: (line) => {
      const reply = data.execute(line.split(" "), session);
      return reply === undefined ? "closed" : writeReply(reply);
    },
  };
}

describe("a simulated Redis", () => {
  it("executes the commands of probes and operators", () => {
    const { run } = database();
    const commands = [
      "PING",
      "PING hi",
      "SET a 5",
      "INCR a",
      "GET a",
      "GET no",
      "EXISTS a b",
      "DEL a b",
      "DBSIZE",
      "TYPE a",
      "SELECT 3",
      "SELECT 99",
      "CONFIG GET maxmemory",
      "CONFIG SET maxmemory 1mb",
      "CONFIG GET maxmemory",
      "NOPE x",
      "GET",
    ];

    assert.deepEqual(commands.map(run), [
      "+PONG\r\n",
      "$2\r\nhi\r\n",
      "+OK\r\n",
      ":6\r\n",
      "$1\r\n6\r\n",
      "$-1\r\n",
      ":1\r\n",
      ":1\r\n",
      ":0\r\n",
      "+none\r\n",
      "+OK\r\n",
      "-ERR DB index is out of range\r\n",
      "*2\r\n$9\r\nmaxmemory\r\n$1\r\n0\r\n",
      "+OK\r\n",
      "*2\r\n$9\r\nmaxmemory\r\n$3\r\n1mb\r\n",
      "-ERR unknown command 'NOPE', with args beginning with: 'x' \r\n",
      "-ERR wrong number of arguments for 'get' command\r\n",
    ]);
    assert.match(run("INFO replication"), /role:master/);
  });

  it("deletes keys when they expire", async () => {
    const { run, clock } = database();
    run("SET a 1 EX 10");
    assert.equal(run("TTL a"), ":10\r\n");
    await clock.advance(10_000);

    assert.equal(run("GET a"), "$-1\r\n");
    assert.equal(run("TTL a"), ":-2\r\n");
  });

  it("requires the password before other commands", () => {
    const { run } = database("--requirepass", "pw");

    assert.deepEqual(["PING", "AUTH no", "AUTH pw", "PING"].map(run), [
      "-NOAUTH Authentication required.\r\n",
      "-WRONGPASS invalid username-password pair or user is disabled.\r\n",
      "+OK\r\n",
      "+PONG\r\n",
    ]);
  });

  it("reads its configuration and its users from mounted files", () => {
    const files = new Map([
      ["/etc/redis/redis.conf", "port 6380\naclfile /etc/redis-auth/users.acl\nmaxmemory 100mb\n"],
      ["/etc/redis-auth/users.acl", `user default on #${hashOf("new")} #${hashOf("old")} ~* &* +@all\n`],
    ]);
    const { context } = modelContainer(
      { image: "redis:7", command: ["redis-server", "/etc/redis/redis.conf"] },
      { files },
    );

    const { port, passwordHashes, directives } = redisSettings(context);

    assert.deepEqual(
      [port, passwordHashes, directives.get("maxmemory")],
      [6380, [hashOf("new"), hashOf("old")], "100mb"],
    );
  });

  it("serves RESP over a socket until it terminates", async () => {
    const { context, exits } = modelContainer({ image: "redis:7" });
    const program = redisModel.start(context);
    const { host, port } = await eventually(() => context.network.addressOf("10.0.0.2", 6379));
    const socket = connect({ host, port });
    let received = "";
    socket.on("data", (piece) => (received += piece.toString()));
    socket.write("PING\r\n*2\r\n$4\r\nEC");
    await eventually(() => (received.includes("PONG") ? true : undefined));
    socket.write("HO\r\n$2\r\nhi\r\nQUIT\r\n");
    await new Promise((resolve) => socket.on("close", resolve));

    assert.equal(received, "+PONG\r\n$2\r\nhi\r\n+OK\r\n");
    program.terminate();
    assert.deepEqual(exits, [{ exitCode: 0 }]);
  });

  it("runs probes with redis-cli", () => {
    const { context } = modelContainer({ image: "redis:7", args: ["--requirepass", "pw"] });
    const program = redisModel.start(context);
    const ping = (script: string): unknown => program.exec?.(["sh", "-c", script]);

    assert.deepEqual(ping('[ "$(redis-cli -a pw ping)" = PONG ]'), { ok: true, output: "PONG\n", pauseMs: 0 });
    assert.deepEqual(ping('[ "$(redis-cli ping)" = PONG ]'), {
      ok: false,
      output: "NOAUTH Authentication required.\n",
      pauseMs: 0,
    });
    assert.deepEqual(
      program.exec?.(["redis-cli", "ping"]),
      { ok: true, output: "NOAUTH Authentication required.\n", pauseMs: 0 },
      "redis-cli exits with 0 after any reply",
    );
    program.kill();
  });

  it("parses any bytes as a command, an incomplete command or a protocol error", () => {
    const pieces = [
      "*1\r\n",
      "*2\r\n",
      "$4\r\n",
      "PING\r\n",
      "$-1\r\n",
      "*-1\r\n",
      "$99999999999\r\n",
      "*99999\r\n",
      "\n",
      "\0",
      "+",
      "hello\r\n",
      "$0\r\n\r\n",
      "*0\r\n",
      "\r",
    ];
    let state = 3;
    const next = (below: number): number => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return (state >>> 8) % below;
    };
    for (let round = 0; round < 100_000; round += 1) {
      const bytes = Buffer.from(Array.from({ length: next(8) }, () => pieces[next(pieces.length)]).join(""));
      assert.ok(!isSlow(() => readCommand(bytes)), "parsing is fast");
      const read = readCommand(bytes);
      if (read.type === "command") assert.ok(read.rest.length < bytes.length, "bytes were consumed");
    }
    assert.equal(readCommand(Buffer.from("x".repeat(70_000))).type, "invalid");
  });
});
