import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { FieldSet } from "./field-set.ts";
import { fieldSets, paths } from "../testing/random-field-sets.ts";
import { fieldElement, keyElement, type Path, pathText, valueElement } from "./path-element.ts";

const spec = fieldElement("spec");
const status = fieldElement("status");

function texts(set: FieldSet): string[] {
  return [...set.paths()].map((path) => pathText(path));
}

describe("FieldSet", () => {
  it("does not contain a field because of a path below it, nor the reverse", () => {
    const inner = FieldSet.of([[spec, fieldElement("a")]]);
    const outer = FieldSet.of([[spec]]);

    assert.equal(inner.has([spec]), false);
    assert.equal(outer.has([spec, fieldElement("a")]), false);
    assert.equal(inner.union(outer).size, 2);
  });

  it("ignores the empty path, which means the whole object", () => {
    const set = FieldSet.of([[]]);

    assert.equal(set.isEmpty, true);
    assert.equal(set.has([]), false);
  });

  it("lists per level the paths that end there before those that continue", () => {
    const items = fieldElement("items");
    const set = FieldSet.of([
      [items, valueElement("b")],
      [items, valueElement(10)],
      [items, valueElement(9)],
      [items, keyElement([{ name: "k", value: "x" }])],
      [items],
      [spec],
      [status, fieldElement("b")],
      [status, fieldElement("a")],
    ]);

    assert.deepEqual(texts(set), [
      ".items",
      ".spec",
      '.items[k="x"]',
      ".items[=9]",
      ".items[=10]",
      '.items[="b"]',
      ".status.a",
      ".status.b",
    ]);
  });

  it("identifies a key whatever the order of its fields", () => {
    const one = keyElement([
      { name: "port", value: 80 },
      { name: "name", value: "a" },
    ]);
    const two = keyElement([
      { name: "name", value: "a" },
      { name: "port", value: 80 },
    ]);

    assert.equal(one.text, two.text);
    assert.equal(one.text, 'k:{"name":"a","port":80}');
  });

  it("removes paths below a member only in differenceDeep", () => {
    const set = FieldSet.of([[spec], [spec, fieldElement("a")], [status]]);
    const hidden = FieldSet.of([[spec]]);

    assert.deepEqual(texts(set.differenceDeep(hidden)), [".status"]);
    assert.deepEqual(texts(set.difference(hidden)), [".status", ".spec.a"]);
  });
});

describe("field set operations", () => {
  const isMember = (set: FieldSet, path: Path): boolean => set.has(path);

  it("contain exactly the paths they were built from", () => {
    fc.assert(
      fc.property(paths, paths, (mine, others) => {
        const set = FieldSet.of(mine);
        const known = new Set(mine.filter((path) => path.length > 0).map((path) => JSON.stringify(path)));

        assert.equal(set.size, known.size);
        for (const path of others) assert.equal(set.has(path), known.has(JSON.stringify(path)));
      }),
    );
  });

  it("unite, intersect and subtract path by path", () => {
    fc.assert(
      fc.property(paths, paths, (left, right) => {
        const a = FieldSet.of(left);
        const b = FieldSet.of(right);
        for (const path of [...left, ...right]) {
          assert.equal(isMember(a.union(b), path), isMember(a, path) || isMember(b, path));
          assert.equal(isMember(a.intersection(b), path), isMember(a, path) && isMember(b, path));
          assert.equal(isMember(a.difference(b), path), isMember(a, path) && !isMember(b, path));
          const prefixes = path.map((_, index) => path.slice(0, index + 1));
          const isHidden = prefixes.some((prefix) => isMember(b, prefix));
          assert.equal(isMember(a.differenceDeep(b), path), isMember(a, path) && !isHidden);
        }
      }),
    );
  });

  it("obey the laws of sets", () => {
    fc.assert(
      fc.property(fieldSets, fieldSets, fieldSets, (a, b, c) => {
        assert.ok(a.union(b).equals(b.union(a)));
        assert.ok(a.intersection(b).equals(b.intersection(a)));
        assert.ok(a.union(b.union(c)).equals(a.union(b).union(c)));
        assert.ok(a.intersection(b.union(c)).equals(a.intersection(b).union(a.intersection(c))));
        assert.ok(a.difference(b).union(a.intersection(b)).equals(a));
        assert.ok(a.difference(b).intersection(b).isEmpty);
        assert.ok(a.difference(a).isEmpty);
        assert.ok(a.union(a).equals(a));
        assert.ok(a.difference(b.union(c)).equals(a.difference(b).difference(c)));
      }),
    );
  });
});
