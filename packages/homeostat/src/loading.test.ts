import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";

/** Logs every module that is loaded. */
const hooks = `export async function load(url, context, next) {
  process._rawDebug("loads " + url);
  return next(url, context);
}`;
const register = `import { register } from "node:module"; register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hooks)}`)});`;

describe("the homeostat package", () => {
  it("loads no third-party module before it is needed", () => {
    const { stderr, status } = spawnSync(
      process.execPath,
      [
        "--import",
        `data:text/javascript,${encodeURIComponent(register)}`,
        "--input-type=module",
        "-e",
        'await import("homeostat")',
      ],
      { cwd: import.meta.dirname, encoding: "utf8" },
    );

    assert.equal(status, 0, stderr);
    const loaded = [...stderr.matchAll(/^loads (.*)$/gm)].map((match) => match[1] ?? "");
    assert.ok(
      loaded.some((url) => url.includes("/packages/runtime/")),
      "the hook sees modules",
    );
    assert.deepEqual(
      loaded.filter((url) => /node_modules\/(?!@homeostat)/.test(url) && !url.includes("/re2js/")),
      [],
    );
  });

  it("holds no code", () => {
    const text = readFileSync(new URL("../src/index.ts", import.meta.url), "utf8");

    const rest = text.replaceAll(/\/\/.*$/gm, "").replaceAll(/export (?:type )?\{[^}]*\} from "[^"]+";/g, "");
    assert.equal(rest.trim(), "");
  });
});
