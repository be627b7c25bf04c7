import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { operatorNames } from "../repository.ts";
import { operatorImage, parseImage, programImage } from "./operator-image.ts";

describe("the image of an operator", () => {
  for (const name of operatorNames()) {
    it(`runs the bundle of operators/${name} as a non-root user`, () => {
      const { files, env, user, entrypoint } = operatorImage(name);

      assert.deepEqual([...files], [["/app/operator.js", `operators/${name}/dist/program.js`]]);
      assert.deepEqual(entrypoint, ["node", "/app/operator.js"]);
      assert.match(user, /^[1-9]\d*:[1-9]\d*$/);
      assert.equal(env["MALLOC_ARENA_MAX"], "1");
    });
  }

  it("can be that of another program", () => {
    const { files } = programImage("apps/route-server");

    assert.deepEqual([...files], [["/app/operator.js", "apps/route-server/dist/program.js"]]);
  });

  it("is read from the last stage only", () => {
    const { files, entrypoint } = parseImage('FROM a AS build\nRUN make\nFROM b\nENTRYPOINT ["c"]\n');

    assert.deepEqual([files.size, entrypoint], [0, ["c"]]);
  });

  it("is rejected when an instruction would be ignored", () => {
    assert.throws(() => parseImage("FROM a\nRUN apt-get install b\n"), /Unknown instruction: RUN apt-get/);
    assert.throws(() => parseImage("FROM a\nCOPY local /app\n"), /Cannot copy this without Docker: COPY local/);
  });
});
