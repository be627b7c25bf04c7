import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inputCount } from "@homeostat/fuzz";
import { FakeClock, SeededRandom } from "@homeostat/core";
import { isSlow } from "@homeostat/fuzz/is-slow";
import type { Exit } from "./exit.ts";
import { Network } from "./network.ts";
import type { ProgramContext, RunningProgram } from "./program.ts";
import { readCommand, readWords } from "./shell-parse.ts";
import { startProgram } from "./start-program.ts";

interface Run {
  readonly clock: FakeClock;
  readonly program: RunningProgram;
  readonly printed: string[];
  exit: (Exit & { readonly atMs: number }) | undefined;
}

function run(
  command: readonly string[],
  { image = "app:1", args = [] as readonly string[], script = {}, restarts = 0 } = {},
): Run {
  const clock = new FakeClock();
  const printed: string[] = [];
  const context: ProgramContext = {
    pod: { namespace: "default", name: "web", uid: "u1", ip: "10.0.0.2", labels: {} },
    container: { name: "main", image, command, args, ports: [] },
    env: new Map([["NAME", "world"]]),
    volumes: new Map(),
    options: {},
    restarts,
    clock,
    random: new SeededRandom(1),
    network: new Network(),
    files: new Map([["/etc/x", "mounted\n"]]),
    print: (text) => void printed.push(text),
    exit: (exit) => (result.exit = { ...exit, atMs: clock.monotonic() }),
  };
  const result: Run = { clock, printed, exit: undefined, program: undefined as unknown as RunningProgram };
  return Object.assign(result, { program: startProgram(context, script, []) });
}

const sh = (script: string): readonly string[] => ["sh", "-c", script];

describe("simulated shell commands", () => {
  const cases: readonly [command: readonly string[], exitCode: number, atMs: number, printed: string][] = [
    [["true"], 0, 0, ""],
    [["/bin/false"], 1, 0, ""],
    [["echo", "hello", "you"], 0, 0, "hello you\n"],
    [["sleep", "2"], 0, 2_000, ""],
    [["sleep", "1m"], 0, 60_000, ""],
    [sh("exit 3"), 3, 0, ""],
    [sh("echo one; sleep 1; echo two && exit 4"), 4, 1_000, "one\ntwo\n"],
    [sh("false && echo no; echo yes"), 0, 0, "yes\n"],
    [sh("false || exit 2"), 2, 0, ""],
    [sh("echo \"hello $NAME\" '$NAME'"), 0, 0, "hello world $NAME\n"],
    [sh("cat /etc/x && cat /none"), 1, 0, "mounted\ncat: /none: No such file or directory\n"],
    [sh("touch /a\ntest -f /a && rm /a\n[ -e /a ]"), 1, 0, ""],
    [["bash", "-ec", "exec sleep 0.5"], 0, 500, ""],
  ];
  for (const [command, exitCode, atMs, printed] of cases) {
    it(`runs ${command.join(" ")}`, async () => {
      const shell = run(command);

      await shell.clock.advance(120_000);

      assert.deepEqual([shell.exit?.exitCode, shell.exit?.atMs, shell.printed.join("")], [exitCode, atMs, printed]);
    });
  }

  it("ignore SIGTERM, as PID 1 of a container does", async () => {
    const shell = run(["sleep", "100"]);
    await shell.clock.advance(1_000);
    shell.program.terminate();
    await shell.clock.advance(10_000);

    assert.equal(shell.exit, undefined);
    shell.program.kill();
    await shell.clock.advance(0);
    assert.equal(shell.clock.pending, 0);
  });

  it("exit on SIGTERM with a trap, after the current command", async () => {
    const shell = run(sh("trap 'exit 7' TERM; while true; do sleep 0.2; done"));
    await shell.clock.advance(1_050);
    shell.program.terminate();
    await shell.clock.advance(1_000);

    assert.deepEqual([shell.exit?.exitCode, shell.exit?.atMs], [7, 1_200]);
  });

  it("leave a termination message", async () => {
    const shell = run(sh("echo bye > /dev/termination-log; exit 4"));
    await shell.clock.advance(0);

    assert.equal(shell.exit?.message, "bye\n");
  });

  it("run exec probes against their files", async () => {
    const shell = run(sh("sleep 1; touch /tmp/ok; sleep 100"));
    assert.deepEqual(await shell.program.exec?.(["cat", "/tmp/ok"]), {
      ok: false,
      output: "cat: /tmp/ok: No such file or directory\n",
      pauseMs: 0,
    });
    await shell.clock.advance(1_000);

    assert.deepEqual(await shell.program.exec?.(["cat", "/tmp/ok"]), { ok: true, output: "", pauseMs: 0 });
    assert.deepEqual(await shell.program.exec?.(["sleep", "5"]), { ok: true, output: "", pauseMs: 5_000 });
    assert.equal(await shell.program.exec?.(["curl", "x"]), undefined);
    shell.program.kill();
  });

  it("run the arguments of shell images, and of no others", () => {
    const args = ["sleep", "1"];

    assert.notEqual(readCommand({ image: "busybox", command: [], args }, new Map()), undefined);
    assert.equal(readCommand({ image: "myapp", command: [], args }, new Map()), undefined);
  });

  const unknown = [
    "./server",
    "sh run.sh",
    "sh -c|server &",
    "sh -c|cat x | wc",
    "sh -c|$(date)",
    "sh -c|for i in 1; do true; done",
    "sh -c|sleep",
    "sh -c|while true; do x; done",
    "sh -c|echo `x`",
    "sh -c|trap 'kill 1' TERM",
  ];
  for (const text of unknown) {
    it(`do not run ${text}`, () => {
      const [words = "", script] = text.split("|", 2);
      const rest = text.slice(words.length + 1);

      assert.equal(
        readWords(script === undefined ? words.split(" ") : [...words.split(" "), rest], new Map()),
        undefined,
      );
    });
  }

  it("parse any script quickly, or refuse it", () => {
    const pieces = [
      "sleep 1",
      ";",
      "&&",
      "||",
      "while true; do ",
      "done",
      "echo 'a'",
      '"',
      "'",
      "$X",
      "${",
      "exit 9",
      "\n",
      ">",
      "/f",
      "trap '' TERM",
      "\\",
      "`",
      "(",
      "a".repeat(50),
    ];
    let state = 7;
    const next = (below: number): number => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return (state >>> 8) % below;
    };
    const check = (script: string): void => {
      assert.ok(!isSlow(() => readWords(["sh", "-c", script], new Map())), script.slice(0, 100));
    };
    for (let round = 0; round < inputCount(100_000); round += 1)
      check(Array.from({ length: next(12) }, () => pieces[next(pieces.length)]).join(next(2) === 0 ? " " : ""));
    check("'".repeat(9_999));
    check("while true; do ".repeat(600));
    check(`${"while true; do ".repeat(300)}sleep 1${"; done".repeat(300)}`);
    check(";".repeat(10_000));
    check("a".repeat(20_000));
  });
});

describe("container scripts", () => {
  it("exit after a time with a code", async () => {
    const shell = run([], { script: { exitAfterMs: 5_000, exitCode: 3, log: ["hello"], terminationMessage: "bye" } });
    await shell.clock.advance(10_000);

    assert.deepEqual(shell.exit, { exitCode: 3, message: "bye", atMs: 5_000 });
    assert.deepEqual(shell.printed, ["hello"]);
  });

  it("exit as killed for memory", async () => {
    const shell = run([], { script: { oomKilled: true } });
    await shell.clock.advance(0);

    assert.deepEqual(shell.exit, { exitCode: 137, reason: "OOMKilled", atMs: 0 });
  });

  it("keep running after a number of exits", async () => {
    const shell = run([], { script: { exitCode: 1, times: 2 }, restarts: 2 });
    await shell.clock.advance(60_000);

    assert.equal(shell.exit, undefined);
  });

  it("decide the reaction to SIGTERM", async () => {
    const deaf = run([], { script: { ignoreSigterm: true } });
    const slow = run([], { script: { stopMs: 2_000, stopExitCode: 143 } });
    const plain = run([]);
    for (const { program } of [deaf, slow, plain]) program.terminate();
    await Promise.all([deaf, slow, plain].map(({ clock }) => clock.advance(5_000)));

    assert.equal(deaf.exit, undefined);
    assert.deepEqual(slow.exit, { exitCode: 143, atMs: 2_000 });
    assert.deepEqual(plain.exit, { exitCode: 0, atMs: 0 });
  });
});
