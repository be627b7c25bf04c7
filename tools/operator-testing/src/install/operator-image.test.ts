import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { operatorNames, readRepositoryFile } from "../repository.ts";
import { operatorImage, parseImage, programImage } from "./operator-image.ts";

/** Flags that lower the memory at rest. */
const nodeFlags = ["--no-opt", "--no-maglev", "--max-semi-space-size=2"];

describe("the image of an operator", () => {
  for (const name of operatorNames()) {
    it(`runs the bundle of operators/${name} as a non-root user`, () => {
      const { files, env, user, entrypoint } = operatorImage(name);

      assert.deepEqual([...files], [["/app/operator.js", `operators/${name}/dist/program.js`]]);
      assert.deepEqual(entrypoint, ["node", ...nodeFlags, "/app/operator.js"]);
      assert.match(user, /^[1-9]\d*:[1-9]\d*$/);
      assert.equal(env["MALLOC_ARENA_MAX"], "1");
    });
  }

  it("can be that of another program", () => {
    const { files, entrypoint, env } = programImage("apps/route-server");

    assert.deepEqual([...files], [["/app/operator.js", "apps/route-server/dist/program.js"]]);
    assert.deepEqual(entrypoint, ["node", "/app/operator.js"]);
    assert.deepEqual(env, { MALLOC_ARENA_MAX: "1", MALLOC_MMAP_THRESHOLD_: "16384" });
  });

  it("leaves reads of the tunnel server in the heap of the C library", () => {
    assert.deepEqual(programImage("apps/tunnel").env, { MALLOC_ARENA_MAX: "1" });
  });

  it("of the dashboard has the files of the page beside the program", () => {
    assert.deepEqual(
      [...programImage("apps/dashboard").files],
      [
        ["/app/operator.js", "apps/dashboard/dist/program.js"],
        ["/app/assets", "apps/dashboard/dist/assets"],
      ],
    );
  });

  it("has the stage that the head of the Dockerfile names for it", () => {
    const head = readRepositoryFile("operators/Dockerfile");
    const targets = [...head.matchAll(/--target (\S+) --build-arg PROGRAM=(\S+)/g)];

    assert.deepEqual(
      targets.map(([, target, folder]) => [folder, target]),
      [
        ["apps/route-server", "compact"],
        ["apps/proxy", "compact"],
        ["apps/tunnel", "program"],
        ["apps/dashboard", "page"],
      ],
    );
  });

  it("is read from the last stage only, unless that is based on another one", () => {
    const { files, entrypoint } = parseImage('FROM a AS build\nRUN make\nFROM b\nENTRYPOINT ["c"]\n');
    const based = 'FROM a AS one\nENV A=b C=d\nENTRYPOINT ["e"]\nFROM one AS two\nENV A=f\n';

    assert.deepEqual([files.size, entrypoint], [0, ["c"]]);
    assert.deepEqual(parseImage(based), { files, env: { A: "f", C: "d" }, user: "", entrypoint: ["e"] });
    assert.deepEqual(parseImage(based, "one").env, { A: "b", C: "d" });
    assert.throws(() => parseImage(based, "three"), /has no stage three/);
  });

  it("is rejected when an instruction would be ignored", () => {
    assert.throws(() => parseImage("FROM a\nRUN apt-get install b\n"), /Unknown instruction: RUN apt-get/);
    assert.throws(() => parseImage("FROM a\nCOPY local /app\n"), /Cannot copy this without Docker: COPY local/);
  });
});
