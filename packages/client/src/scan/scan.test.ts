import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fuzz, propertyRuns } from "@homeostat/fuzz";
import { cpuMs } from "@homeostat/fuzz/cpu-time";
import fc from "fast-check";
import { MalformedResponseError, TooLongError } from "../errors.ts";
import { LineSplitter } from "./line-splitter.ts";
import { ListScanner } from "./list-scanner.ts";
import { emptySpan, type ObjectSpan, scanObject, scanWhole } from "./scan-object.ts";

/** Objects whose strings contain quotes, braces, brackets and escapes. */
const trickyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.constantFrom(
    '"',
    "\\",
    '\\"',
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '{"metadata":{"name":"no"}}',
    "managedFields",
    "metadata",
    "x".repeat(60),
    '\\\\"'.repeat(20),
  ),
);
/**
 * Keys of objects. A backslash is followed by an exclamation mark, because JSON.parse of V8 13.6 (Node 24) confuses keys with escapes: after
 * `{"a":1,"\\":2}`, it reads the second key of `{"a":1,"\"":2}` as a backslash. It compares the expected key with the escaped text of the key. The text
 * of no key begins with a key of this form.
 */
const trickyKey = trickyText.map((text) => text.replaceAll("\\", "\\!"));
const anyValue = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    trickyText,
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(trickyKey, tie("value"), { maxKeys: 3 }),
  ),
})).value;
const anyObject = fc.record(
  {
    kind: trickyText,
    metadata: fc.record(
      {
        labels: anyValue,
        managedFields: fc.array(anyValue),
        name: trickyText,
        namespace: trickyText,
        resourceVersion: fc.nat().map(String),
        uid: trickyText,
      },
      { requiredKeys: ["name", "resourceVersion"] },
    ),
    spec: anyValue,
    status: anyValue,
  },
  { requiredKeys: ["metadata"] },
);

describe("scanObject", () => {
  it("finds the end, the recorded fields and managedFields in any object, in any order of fields", () => {
    fc.assert(
      fc.property(anyObject, fc.constantFrom(undefined, 2), fc.boolean(), (object, indent, isReversed) => {
        const ordered = isReversed ? { ...reversed(object), metadata: reversed(object.metadata) } : object;
        const bytes = Buffer.from(`  ${JSON.stringify(ordered, undefined, indent)},{"next":1}`);
        const span = emptySpan();

        assert.equal(scanObject(bytes, 2, bytes.length, span), true);

        const whole: unknown = JSON.parse(bytes.toString("utf8", 2, span.end));
        assert.deepEqual(whole, JSON.parse(JSON.stringify(object)));
        assert.equal(text(bytes, span.nameStart, span.nameEnd), object.metadata.name);
        assert.equal(text(bytes, span.versionStart, span.versionEnd), object.metadata.resourceVersion);
        assert.equal(text(bytes, span.namespaceStart, span.namespaceEnd), object.metadata.namespace);
        assert.equal(text(bytes, span.uidStart, span.uidEnd), object.metadata.uid);
        assert.deepEqual(JSON.parse(withoutManagedFields(bytes, span)), stripped(object));
      }),
      { numRuns: propertyRuns(3000) },
    );
  });

  it("returns false for an incomplete object, wherever it is cut", () => {
    fc.assert(
      fc.property(anyObject, (object) => {
        const bytes = Buffer.from(JSON.stringify(object));
        const span = emptySpan();

        for (let end = 1; end < bytes.length; end += 1) assert.equal(scanObject(bytes, 0, end, span), false);
        assert.equal(scanObject(bytes, 0, bytes.length, span), true);
      }),
      { numRuns: 200 },
    );
  });

  it("terminates for any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        scanObject(Buffer.from([0x7b, ...bytes]), 0, bytes.length + 1, emptySpan());
      }),
      { numRuns: propertyRuns(5000) },
    );
  });
});

describe("scanWhole", () => {
  it("finds the same as scanObject for bytes with exactly one object", () => {
    fc.assert(
      fc.property(anyObject, fc.boolean(), (object, isReversed) => {
        const bytes = Buffer.from(`:${JSON.stringify(isReversed ? reversed(object) : object)}`);
        const span = emptySpan();
        const expected = emptySpan();
        scanObject(bytes, 1, bytes.length, expected);

        assert.equal(scanWhole(bytes, 1, bytes.length, span), true);

        assert.deepEqual(span, expected);
      }),
      { numRuns: propertyRuns(2000) },
    );
  });

  it("returns false for bytes that do not end with a brace, or contain several objects without metadata", () => {
    for (const text of ["", "{", "[]", '{"a":1},{}', '{"metadata":{}} ', '{"metadata":{"name":"a"']) {
      const bytes = Buffer.from(text);

      const isWhole = scanWhole(bytes, 0, bytes.length, emptySpan());

      assert.equal(isWhole, false, text);
    }
  });
});

describe("ListScanner", () => {
  const metadata = { resourceVersion: "42", continue: "token", remainingItemCount: 3 };

  it("finds every item however the stream is split, with metadata first or last", () => {
    fc.assert(
      fc.property(
        fc.array(anyObject, { maxLength: 6 }),
        fc.boolean(),
        fc.integer({ min: 1, max: 97 }),
        (items, isFirst, size) => {
          const list = isFirst
            ? { kind: "L", apiVersion: "v1", metadata, items }
            : { apiVersion: "v1", items, kind: "L", metadata };
          const bytes = Buffer.from(JSON.stringify(list));
          const found: unknown[] = [];
          const scanner = new ListScanner((buffer, span) =>
            found.push(JSON.parse(buffer.toString("utf8", span.start, span.end))),
          );

          for (let at = 0; at < bytes.length; at += size) scanner.push(bytes.subarray(at, at + size));

          assert.deepEqual(scanner.finish(), metadata);
          assert.deepEqual(found, JSON.parse(JSON.stringify(items)));
        },
      ),
      { numRuns: 500 },
    );
  });

  it("accepts an empty list and a list without items", () => {
    for (const body of [
      '{"items":[],"metadata":{"resourceVersion":"7"}}',
      '{"metadata":{"resourceVersion":"7"},"items":null}',
      '{"metadata":{"resourceVersion":"7"}}\n',
    ]) {
      const scanner = new ListScanner(() => assert.fail("no item"));

      scanner.push(Buffer.from(body));

      assert.equal(scanner.finish().resourceVersion, "7");
    }
  });

  it("throws for a truncated list", () => {
    const body = Buffer.from('{"metadata":{"resourceVersion":"7"},"items":[{"metadata":{"name":"a"}}]}');
    for (let end = 0; end < body.length; end += 1) {
      const scanner = new ListScanner(() => undefined);
      scanner.push(body.subarray(0, end));

      assert.throws(() => scanner.finish(), MalformedResponseError);
    }
  });

  it("throws for a body that is not a list", () => {
    for (const body of ["<html>", "{1}", '{"items":[1]}', "404 page not found", "{}x", '{"metadata":{x}}'])
      assert.throws(() => scanAll(body), MalformedResponseError, body);
  });

  it("takes linear time for an item in thousands of pieces, and throws for an endless one", () => {
    const item = JSON.stringify({ metadata: { name: "a" }, data: "x".repeat(16 * 1024 * 1024) });
    const body = Buffer.from(`{"items":[${item},{"metadata":{"name":"b"}}]}`);
    let found = 0;
    const scanner = new ListScanner(() => (found += 1));
    const limited = new ListScanner(() => undefined, { bytesMax: 1024 * 1024 });

    const ms = cpuMs(() => {
      for (let at = 0; at < body.length; at += 4096) scanner.push(body.subarray(at, at + 4096));
      scanner.finish();
    });

    assert.equal(found, 2);
    assert.ok(ms < 5000, `took ${ms} ms; scanning everything for each piece would take a minute`);
    assert.throws(() => {
      for (let at = 0; at < body.length; at += 4096) limited.push(body.subarray(at, at + 4096));
    }, TooLongError);
  });

  it("parses mangled lists or throws one of its two errors, each within 100 ms", () => {
    const valid = [
      '{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7","continue":"t"},"items":[{"metadata":{"name":"a","uid":"u"}}]}',
      '{"apiVersion":"v1","items":[{"metadata":{"managedFields":[{}],"name":"a"}},{"metadata":{}}],"metadata":{"remainingItemCount":3}}',
      '{"items":[]}',
    ];
    const pieces = [
      "{",
      "}",
      "[",
      "]",
      '"',
      "\\",
      ",",
      ":",
      "__proto__",
      "null",
      " ",
      "\n",
      '{"metadata":',
      '"items":[',
    ];

    fuzz({
      count: 100_000,
      input: (chance) => chance.mutate(chance.pick(valid), pieces),
      run: scanAll,
      isExpected: (error) => error instanceof MalformedResponseError || error instanceof TooLongError,
    });
  });
});

describe("LineSplitter", () => {
  it("returns the same lines however the stream is split", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.string({ unit: "binary", minLength: 1 }).map((line) => line.replaceAll("\n", "")),
          { maxLength: 8 },
        ),
        fc.integer({ min: 1, max: 20 }),
        (lines, size) => {
          const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
          const found: string[] = [];
          const splitter = new LineSplitter((line) => found.push(line.toString()));

          for (let at = 0; at < bytes.length; at += size) splitter.push(bytes.subarray(at, at + size));
          splitter.finish();

          assert.deepEqual(
            found,
            lines.filter((line) => line !== ""),
          );
        },
      ),
    );
  });

  it("throws for an endless line", () => {
    const splitter = new LineSplitter(() => undefined, { bytesMax: 100 });

    assert.throws(() => {
      for (let i = 0; i < 20; i += 1) splitter.push(Buffer.alloc(10, "x"));
    }, TooLongError);
  });
});

function scanAll(body: string): void {
  const scanner = new ListScanner(() => undefined);
  scanner.push(Buffer.from(body));
  scanner.finish();
}

function text(bytes: Buffer, start: number, end: number): string | undefined {
  return start < 0 ? undefined : (JSON.parse(`"${bytes.toString("utf8", start, end)}"`) as string);
}

function withoutManagedFields(bytes: Buffer, span: ObjectSpan): string {
  if (span.managedFieldsStart < 0) return bytes.toString("utf8", span.start, span.end);
  return (
    bytes.toString("utf8", span.start, span.managedFieldsStart) +
    bytes.toString("utf8", span.managedFieldsEnd, span.end)
  );
}

function stripped(object: { metadata: object }): unknown {
  const copy = JSON.parse(JSON.stringify(object)) as { metadata: { managedFields?: unknown } };
  delete copy.metadata.managedFields;
  return copy;
}

function reversed<T extends object>(object: T): T {
  return Object.fromEntries(Object.entries(object).toReversed()) as T;
}
