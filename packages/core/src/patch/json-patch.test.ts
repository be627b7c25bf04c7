import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type SeededRandom, fuzz, propertyRuns } from "@homeostat/fuzz";
import { cpuMs } from "@homeostat/fuzz/cpu-time";
import * as fc from "fast-check";
import { deepClone } from "../value/clone.ts";
import { isEqual } from "../value/equality.ts";
import { deepFreeze } from "../value/freeze.ts";
import { anyJson, hostileKeys } from "../testing/json-values.ts";
import { diffJsonPatch } from "./diff-json-patch.ts";
import { applyJsonPatch, type JsonPatchOperation } from "./json-patch.ts";
import { PatchError, type PatchFailureReason } from "./patch-error.ts";
import { formatPointer } from "./pointer.ts";

interface Published {
  readonly title: string;
  readonly document: unknown;
  readonly patch: unknown;
  readonly expected: unknown;
}

// The examples of RFC 6902, appendix A. A reason instead of a result: the patch must fail.
const published: Published[] = [
  {
    title: "A.1 adding an object member",
    document: { foo: "bar" },
    patch: [{ op: "add", path: "/baz", value: "qux" }],
    expected: { baz: "qux", foo: "bar" },
  },
  {
    title: "A.2 adding an array element",
    document: { foo: ["bar", "baz"] },
    patch: [{ op: "add", path: "/foo/1", value: "qux" }],
    expected: { foo: ["bar", "qux", "baz"] },
  },
  {
    title: "A.3 removing an object member",
    document: { baz: "qux", foo: "bar" },
    patch: [{ op: "remove", path: "/baz" }],
    expected: { foo: "bar" },
  },
  {
    title: "A.4 removing an array element",
    document: { foo: ["bar", "qux", "baz"] },
    patch: [{ op: "remove", path: "/foo/1" }],
    expected: { foo: ["bar", "baz"] },
  },
  {
    title: "A.5 replacing a value",
    document: { baz: "qux", foo: "bar" },
    patch: [{ op: "replace", path: "/baz", value: "boo" }],
    expected: { baz: "boo", foo: "bar" },
  },
  {
    title: "A.6 moving a value",
    document: { foo: { bar: "baz", waldo: "fred" }, qux: { corge: "grault" } },
    patch: [{ op: "move", from: "/foo/waldo", path: "/qux/thud" }],
    expected: { foo: { bar: "baz" }, qux: { corge: "grault", thud: "fred" } },
  },
  {
    title: "A.7 moving an array element",
    document: { foo: ["all", "grass", "cows", "eat"] },
    patch: [{ op: "move", from: "/foo/1", path: "/foo/3" }],
    expected: { foo: ["all", "cows", "eat", "grass"] },
  },
  {
    title: "A.8 testing a value: success",
    document: { baz: "qux", foo: ["a", 2, "c"] },
    patch: [
      { op: "test", path: "/baz", value: "qux" },
      { op: "test", path: "/foo/1", value: 2 },
    ],
    expected: { baz: "qux", foo: ["a", 2, "c"] },
  },
  {
    title: "A.9 testing a value: error",
    document: { baz: "qux" },
    patch: [{ op: "test", path: "/baz", value: "bar" }],
    expected: "test-failed" satisfies PatchFailureReason,
  },
  {
    title: "A.10 adding a nested member object",
    document: { foo: "bar" },
    patch: [{ op: "add", path: "/child", value: { grandchild: {} } }],
    expected: { foo: "bar", child: { grandchild: {} } },
  },
  {
    title: "A.11 ignoring unrecognised elements",
    document: { foo: "bar" },
    patch: [{ op: "add", path: "/baz", value: "qux", xyz: 123 }],
    expected: { foo: "bar", baz: "qux" },
  },
  {
    title: "A.12 adding to a non-existent target",
    document: { foo: "bar" },
    patch: [{ op: "add", path: "/baz/bat", value: "qux" }],
    expected: "missing" satisfies PatchFailureReason,
  },
  {
    title: "A.13 an operation of no known name",
    document: { foo: "bar" },
    patch: [{ op: "transform", path: "/baz", value: "qux" }],
    expected: "malformed" satisfies PatchFailureReason,
  },
  {
    title: "A.14 escape ordering",
    document: { "/": 9, "~1": 10 },
    patch: [{ op: "test", path: "/~01", value: 10 }],
    expected: { "/": 9, "~1": 10 },
  },
  {
    title: "A.15 comparing strings and numbers",
    document: { "/": 9, "~1": 10 },
    patch: [{ op: "test", path: "/~01", value: "10" }],
    expected: "test-failed" satisfies PatchFailureReason,
  },
  {
    title: "A.16 adding an array value",
    document: { foo: ["bar"] },
    patch: [{ op: "add", path: "/foo/-", value: ["abc", "def"] }],
    expected: { foo: ["bar", ["abc", "def"]] },
  },
];

describe("applyJsonPatch", () => {
  for (const { title, document, patch, expected } of published) {
    it(`returns the published result for ${title}`, () => {
      const act = (): unknown => applyJsonPatch(document, patch);

      if (typeof expected === "string") assert.throws(act, { name: "PatchError", reason: expected });
      else assert.deepEqual(act(), expected);
    });
  }

  it("names the operation, the path and the problem", () => {
    const patch = [
      { op: "test", path: "/kind", value: "Pod" },
      { op: "remove", path: "/metadata/labels/app" },
    ];

    assert.throws(() => applyJsonPatch({ kind: "Pod", metadata: { labels: {} } }, patch), {
      name: "PatchError",
      code: "PATCH",
      reason: "missing",
      index: 1,
      op: "remove",
      path: "/metadata/labels/app",
      retryable: false,
      message:
        'patch operation 1 (remove "/metadata/labels/app"): the path does not exist. Read the object again and create a new patch.',
    });
  });

  const refused: [string, unknown, unknown, PatchFailureReason][] = [
    ["a patch that is no list", {}, { op: "add" }, "malformed"],
    ["an operation that is no object", {}, ["add"], "malformed"],
    ["an operation without a path", {}, [{ op: "add", value: 1 }], "malformed"],
    ["a path that is no pointer", {}, [{ op: "add", path: "a", value: 1 }], "malformed"],
    ["an add without a value", {}, [{ op: "add", path: "/a" }], "malformed"],
    ["an inherited op", {}, [Object.create({ op: "add", path: "/a", value: 1 })], "malformed"],
    ["a move without from", {}, [{ op: "move", path: "/a" }], "malformed"],
    ["a move into itself", { a: { b: 1 } }, [{ op: "move", from: "/a", path: "/a/b/c" }], "malformed"],
    ["removing the whole document", {}, [{ op: "remove", path: "" }], "malformed"],
    ["a place past the end", [1], [{ op: "add", path: "/2", value: 1 }], "missing"],
    ["an element that is not there", [1], [{ op: "replace", path: "/1", value: 1 }], "missing"],
    ["the place behind the last as a source", [1], [{ op: "remove", path: "/-" }], "missing"],
    ["a leading zero", [1, 2], [{ op: "remove", path: "/01" }], "missing"],
    ["a key of a list", [1], [{ op: "add", path: "/length", value: 9 }], "missing"],
    ["a key below a text", { a: "b" }, [{ op: "add", path: "/a/0", value: 1 }], "missing"],
    ["replacing what is absent", {}, [{ op: "replace", path: "/a", value: 1 }], "missing"],
    ["replacing what is inherited", {}, [{ op: "replace", path: "/toString", value: 1 }], "missing"],
    ["walking into what is inherited", {}, [{ op: "add", path: "/constructor/x", value: 1 }], "missing"],
    ["walking into __proto__", {}, [{ op: "add", path: "/__proto__/x", value: 1 }], "missing"],
    ["a test of what is absent", {}, [{ op: "test", path: "/a", value: null }], "missing"],
    ["copying what is absent", {}, [{ op: "copy", from: "/a", path: "/b" }], "missing"],
    ["too many operations", {}, repeat(10_001, () => ({ op: "test", path: "", value: {} })), "too-large"],
  ];
  for (const [name, document, patch, reason] of refused) {
    it(`refuses ${name}`, () => {
      assert.throws(() => applyJsonPatch(document, patch), { name: "PatchError", reason });
    });
  }

  const accepted: [string, unknown, unknown, unknown][] = [
    ["replaces the whole document", { a: 1 }, [{ op: "replace", path: "", value: [1] }], [1]],
    ["adds the whole document", { a: 1 }, [{ op: "add", path: "", value: null }], null],
    ["adds null", {}, [{ op: "add", path: "/a", value: null }], { a: null }],
    ["adds over an existing key", { a: 1 }, [{ op: "add", path: "/a", value: 2 }], { a: 2 }],
    ["moves onto itself", { a: 1 }, [{ op: "move", from: "/a", path: "/a" }], { a: 1 }],
    ["moves to a sibling with a common prefix", { a: 1 }, [{ op: "move", from: "/a", path: "/ab" }], { ab: 1 }],
    ["moves a part to the root", { a: { b: 1 } }, [{ op: "move", from: "/a", path: "" }], { b: 1 }],
    ["takes an empty key", { "": { "": 1 } }, [{ op: "replace", path: "//", value: 2 }], { "": { "": 2 } }],
    ["takes numbers as keys of objects", { 1: "a" }, [{ op: "remove", path: "/1" }], {}],
    ["compares numbers by value", { a: 1 }, [{ op: "test", path: "/a", value: 1.0 }], { a: 1 }],
    [
      "copies, so that a later change of one does not reach the other",
      { a: { x: [1] } },
      [
        { op: "add", path: "/a/y", value: 1 },
        { op: "copy", from: "/a", path: "/b" },
        { op: "add", path: "/a/x/-", value: 2 },
        { op: "remove", path: "/b/y" },
      ],
      { a: { x: [1, 2], y: 1 }, b: { x: [1] } },
    ],
  ];
  for (const [name, document, patch, expected] of accepted) {
    it(name, () => {
      assert.deepEqual(applyJsonPatch(deepFreeze(document), deepFreeze(patch)), expected);
    });
  }

  it("shares unchanged parts with the document", () => {
    const document = deepFreeze({ spec: { a: 1 }, status: { b: 1 } });

    const result = applyJsonPatch(document, [{ op: "add", path: "/spec/c", value: 1 }]) as typeof document;

    assert.equal(result.status, document.status);
    assert.notEqual(result.spec, document.spec);
  });

  it("stores keys such as __proto__ as data", () => {
    const patch = [
      { op: "add", path: "/__proto__", value: { polluted: 1 } },
      { op: "add", path: "/__proto__/more", value: 2 },
      { op: "copy", from: "/__proto__", path: "/constructor" },
    ];

    const result = applyJsonPatch({}, patch);

    assert.equal(JSON.stringify(result), '{"__proto__":{"polluted":1,"more":2},"constructor":{"polluted":1,"more":2}}');
    assert.equal(Object.getPrototypeOf(result), Object.prototype);
    assert.equal(Reflect.get({}, "polluted"), undefined);
  });

  it("limits copies that double the document", () => {
    const patch = repeat(100, (i) => ({ op: "copy", from: "", path: `/b${i}` }));

    assert.throws(() => applyJsonPatch({ a: "x".repeat(100) }, patch), { reason: "too-large" });
    assert.throws(
      () => applyJsonPatch({ a: "xxxx" }, [{ op: "copy", from: "/a", path: "/b" }], { copiedBytesMax: 5 }),
      {
        reason: "too-large",
      },
    );
  });

  const expensive: [string, unknown, unknown[]][] = [
    [
      "inserting at the head of a long list",
      repeat(1_500_000, () => 0),
      repeat(10_000, () => ({ op: "add", path: "/0", value: 0 })),
    ],
    [
      "removing the head of a long list",
      repeat(1_500_000, () => 0),
      repeat(10_000, () => ({ op: "remove", path: "/0" })),
    ],
    [
      "testing a wide object against a small one",
      { wide: Object.fromEntries(repeat(150_000, (i) => [`k${i}`, 0])) },
      repeat(10_000, () => ({ op: "test", path: "/wide", value: {} })),
    ],
  ];
  for (const [name, document, patch] of expensive) {
    it(`limits the cost of ${name}`, () => {
      const ms = cpuMs(() => {
        try {
          applyJsonPatch(document, patch);
        } catch (error) {
          assert.ok(error instanceof PatchError);
        }
      });

      assert.ok(ms < 5000, `took ${ms} ms; unbounded it would be minutes`);
    });
  }

  it("never changes the document or the patch, and throws only PatchErrors", () => {
    fc.assert(
      fc.property(anyJson(), fc.array(anyOperation(), { maxLength: 6 }), (document, patch) => {
        const before = JSON.stringify([document, patch]);

        outcome(() => applyJsonPatch(deepFreeze(deepClone(document)), deepFreeze(deepClone(patch))));

        assert.equal(JSON.stringify([document, patch]), before);
        assert.equal(Object.keys(Object.prototype).length, 0);
      }),
      { numRuns: propertyRuns(2000) },
    );
  });

  it("applies a patch like its operations one by one", () => {
    fc.assert(
      fc.property(anyJson(), fc.array(anyOperation(), { maxLength: 6 }), (document, patch) => {
        const together = outcome(() => applyJsonPatch(document, patch));
        const apart = outcome(() => patch.reduce((value, operation) => applyJsonPatch(value, [operation]), document));

        assert.ok(isEqual(together, apart), JSON.stringify({ together, apart }));
      }),
      { numRuns: propertyRuns(2000) },
    );
  });

  it("accepts any input or throws a PatchError", () => {
    const document = { metadata: { finalizers: ["a", "b"], labels: {} }, spec: { list: [1, { a: 1 }] }, "": null };
    const { accepted } = fuzz({
      count: 100_000,
      seed: 6902,
      input: (chance, index) => (index % 3 === 0 ? fromText(chance) : repeat(chance.int(4), () => operation(chance))),
      run: (patch) => {
        applyJsonPatch(document, patch);
      },
      isExpected: (error) => error instanceof PatchError,
    });

    assert.ok(accepted > 10_000 && accepted < 90_000, `${accepted} accepted`);
    assert.deepEqual(document, {
      metadata: { finalizers: ["a", "b"], labels: {} },
      spec: { list: [1, { a: 1 }] },
      "": null,
    });
  });
});

describe("diffJsonPatch", () => {
  it("removes one finalizer, guarded by a test of the list of finalizers", () => {
    const from = { metadata: { finalizers: ["a", "b", "c"] } };
    const to = { metadata: { finalizers: ["a", "c"] } };

    assert.deepEqual(diffJsonPatch(from, to, { guard: true }), [
      { op: "test", path: "/metadata/finalizers", value: ["a", "b", "c"] },
      { op: "remove", path: "/metadata/finalizers/1" },
    ]);
  });

  it("adds, removes and replaces members, and can set null", () => {
    assert.deepEqual(diffJsonPatch({ a: 1, b: 2, c: {} }, { b: null, c: { "d/e": 1 } }), [
      { op: "remove", path: "/a" },
      { op: "replace", path: "/b", value: null },
      { op: "add", path: "/c/d~1e", value: 1 },
    ]);
  });

  it("is empty for equal values, and replaces the root if necessary", () => {
    assert.deepEqual(diffJsonPatch({ a: [1] }, { a: [1] }), []);
    assert.deepEqual(diffJsonPatch({ a: 1 }, [1]), [{ op: "replace", path: "", value: [1] }]);
  });

  it("turns one value into the other, guarded or not, for any two values", () => {
    fc.assert(
      fc.property(anyJson(), anyJson(), fc.boolean(), (from, to, guard) => {
        const patch = diffJsonPatch(deepFreeze(deepClone(from)), deepFreeze(deepClone(to)), { guard });

        assert.ok(isEqual(applyJsonPatch(from, patch), to), JSON.stringify(patch));
        assert.equal(patch.length === 0, isEqual(from, to));
      }),
      { numRuns: propertyRuns(2000) },
    );
  });

  it("fails on a changed document when guarded", () => {
    const patch = diffJsonPatch({ replicas: 1, list: [1, 2] }, { replicas: 2, list: [2] }, { guard: true });

    assert.throws(() => applyJsonPatch({ replicas: 5, list: [1, 2] }, patch), { reason: "test-failed", index: 0 });
    assert.throws(() => applyJsonPatch({ replicas: 1, list: [2, 2] }, patch), { reason: "test-failed", path: "/list" });
  });

  it("replaces differences below 1,000 levels as a whole", () => {
    const build = (core: unknown): unknown => {
      let value = core;
      for (let i = 0; i < 5000; i += 1) value = { a: value };
      return value;
    };

    const patch = diffJsonPatch(build(1), build(2));

    assert.equal(patch.length, 1);
    assert.ok(isEqual(applyJsonPatch(build(1), patch), build(2)));
  });
});

function repeat<T>(length: number, make: (index: number) => T): T[] {
  return Array.from({ length }, (_, index) => make(index));
}

/** Returns the result of applying a patch: a value or the reason of the failure. */
function outcome(act: () => unknown): unknown {
  try {
    return { value: act() };
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    return { reason: error.reason };
  }
}

function anyPath(): fc.Arbitrary<string> {
  const step = fc.constantFrom("a", "b", "c", "spec", "name", "0", "1", "-", ...hostileKeys);
  return fc.array(step, { maxLength: 3 }).map(formatPointer);
}

function anyOperation(): fc.Arbitrary<JsonPatchOperation> {
  const path = anyPath();
  return fc.oneof(
    fc.record({ op: fc.constant("add" as const), path, value: anyJson() }),
    fc.record({ op: fc.constant("remove" as const), path }),
    fc.record({ op: fc.constant("replace" as const), path, value: anyJson() }),
    fc.record({ op: fc.constant("move" as const), from: path, path }),
    fc.record({ op: fc.constant("copy" as const), from: path, path }),
    fc.record({ op: fc.constant("test" as const), path, value: anyJson() }),
  );
}

/** Generates an operation on the fuzzed document: plausible, with some invalid parts. */
function operation(chance: SeededRandom): unknown {
  const paths = [
    "",
    "/metadata/finalizers/0",
    "/metadata/finalizers/-",
    "/metadata/labels",
    "/spec/list/1/a",
    "/spec",
    "/",
  ];
  const path = (): unknown =>
    chance.int(8) === 0
      ? chance.pick([null, 5, "x", "/~", "/__proto__/x", "/constructor/prototype/x", `/${"a/".repeat(500)}`])
      : chance.pick(paths);
  return {
    op:
      chance.int(20) === 0
        ? chance.pick([null, 5, "__proto__", "toString", ""])
        : chance.pick(["add", "remove", "replace", "move", "copy", "test"]),
    path: path(),
    from: path(),
    ...(chance.int(8) === 0 ? {} : { value: chance.pick([null, 1, "a", {}, [[]], ["a", "b"], { __proto__: 1 }]) }),
  };
}

/** Generates the text of a valid patch with some characters changed, if it is still JSON. */
function fromText(chance: SeededRandom): unknown {
  const text = '[{"op":"add","path":"/spec/list/0","value":{"a":[1]}},{"op":"move","from":"/metadata","path":"/x"}]';
  try {
    return JSON.parse(chance.mutate(text, ['"', "{", "}", "[", "]", ",", ":", "0", "null", "/", "~", "__proto__"]));
  } catch {
    return undefined;
  }
}
