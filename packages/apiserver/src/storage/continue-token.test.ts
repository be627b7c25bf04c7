import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fuzz } from "@homeostat/fuzz";
import fc from "fast-check";
import { decodeBase64Url, encodeBase64Url } from "./base64url.ts";
import { decodeContinue, encodeContinue } from "./continue-token.ts";

function token(content: unknown): string {
  return Buffer.from(typeof content === "string" ? content : JSON.stringify(content)).toString("base64url");
}

function problemOf(text: string): string {
  const decoded = decodeContinue(text, "pods/");
  assert.ok("problem" in decoded);
  return decoded.problem;
}

describe("continue tokens", () => {
  it("are encoded as kube-apiserver encodes them", () => {
    const text = encodeContinue({ revision: 4711, start: "pods/default/web-0\0" }, "pods/");

    assert.equal(
      Buffer.from(text, "base64url").toString(),
      String.raw`{"v":"meta.k8s.io/v1","rv":4711,"start":"/default/web-0\u0000"}`,
    );
    assert.ok(!text.includes("="));
  });

  it("escape the characters that Go escapes", () => {
    const text = encodeContinue({ revision: 1, start: "roles/a<b>&c\0" }, "roles/");

    assert.ok(
      Buffer.from(text, "base64url")
        .toString()
        .includes(String.raw`a\u003cb\u003e\u0026c\u0000`),
    );
  });

  it("decode to the position they were encoded from", () => {
    const position = { revision: -1, start: "pods/default/web-0\0" };

    const decoded = decodeContinue(encodeContinue(position, "pods/"), "pods/");

    assert.deepEqual(decoded, { position });
  });

  it("cannot leave the prefix", () => {
    const v = "meta.k8s.io/v1";

    for (const start of ["../secrets/x", "a/../../secrets", "a//b", "./a", "a/", "/../x"])
      assert.equal(problemOf(token({ v, rv: 5, start })), `continue key is not valid: ${start}`);
    assert.deepEqual(decodeContinue(token({ v, rv: 5, start: "/a/b" }), "pods/"), {
      position: { revision: 5, start: "pods/a/b" },
    });
  });

  it("are refused with the messages of kube-apiserver", () => {
    const v = "meta.k8s.io/v1";

    assert.equal(problemOf("a=b"), "continue key is not valid: illegal base64 data at input byte 1");
    assert.equal(problemOf("abcde"), "continue key is not valid: illegal base64 data at input byte 4");
    assert.equal(
      problemOf(token("xyz")),
      "continue key is not valid: invalid character 'x' looking for beginning of value",
    );
    assert.equal(
      problemOf(token({ v: "v9", rv: 1, start: "a" })),
      "continue key is not valid: server does not recognize this encoded version v9",
    );
    assert.equal(
      problemOf(token({ v, start: "a" })),
      "continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
    );
    assert.equal(
      problemOf(token({ v, rv: 1 })),
      "continue key is not valid: encoded start key empty (version meta.k8s.io/v1)",
    );
    for (const content of [{ v, rv: 1.5, start: "a" }, { v, rv: "1", start: "a" }, { v: 1 }, [], 7, null])
      assert.match(problemOf(token(content)), /^continue key is not valid/);
  });

  it("are decoded or refused without a crash, for any input", () => {
    const valid = encodeContinue({ revision: 4711, start: "pods/default/web-0\0" }, "pods/");
    const pieces = [
      "A",
      "_",
      "-",
      "=",
      "\0",
      "\n",
      "é",
      "__proto__",
      token('{"__proto__":{"v":1},"v":'),
      token("[[[["),
    ];

    const { accepted } = fuzz({
      count: 100_000,
      input: (chance) =>
        chance.mutate(
          chance.int(3) === 0 ? token(chance.mutate('{"v":"meta.k8s.io/v1","rv":5,"start":"a/b"}', pieces)) : valid,
          pieces,
        ),
      run: (text) => {
        const decoded = decodeContinue(text, "pods/");
        if ("problem" in decoded) throw new RangeError("refused");
        assert.ok(decoded.position.start.startsWith("pods/"));
      },
      isExpected: (error) => error instanceof RangeError,
    });

    assert.ok(accepted > 0 && accepted < 100_000);
  });
});

describe("base64url", () => {
  it("encodes as Node does and decodes to the same bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 50 }), (bytes) => {
        const text = encodeBase64Url(bytes);

        assert.equal(text, Buffer.from(bytes).toString("base64url"));
        assert.deepEqual(decodeBase64Url(text), { bytes });
      }),
      { numRuns: 500, seed: 1 },
    );
  });
});
