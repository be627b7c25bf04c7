import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { ParseError } from "../errors/parse-error.ts";
import { type FieldSelector, fieldsOf } from "./field-selector.ts";
import type { LabelSelector } from "./label-selector.ts";
import { labelSelectorFrom, type LabelSelectorObject } from "./label-selector-object.ts";
import { parseFieldSelector } from "./parse-field-selector.ts";
import { parseLabelSelector } from "./parse-label-selector.ts";
import { labelValueProblems, qualifiedNameProblems } from "../objects/qualified-name.ts";
import { InvalidSelectorError } from "./selector-error.ts";

interface TextVector {
  in: string;
  error?: true;
  text: string;
  matches: string;
}

type Sets = Record<string, string>[];

const labels = read("label-selector") as {
  versions: Record<string, string>;
  labels: Sets;
  texts: TextVector[];
  objects: (Omit<TextVector, "in"> & { selector: LabelSelectorObject | null })[];
};
const fields = read("field-selector") as { versions: Record<string, string>; fields: Sets; texts: TextVector[] };
const names = read("names") as { keys: NameVector[]; values: NameVector[] };

interface NameVector {
  in: string;
  problems?: string[];
}

function read(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`../../vectors/${name}.json`, import.meta.url), "utf8"));
}

function labelMatches(selector: LabelSelector): string {
  return labels.labels.map((set) => (selector.matches(set) ? "1" : "0")).join("");
}

function fieldMatches(selector: FieldSelector): string {
  return fields.fields.map((set) => (selector.matches(fieldsOf(set)) ? "1" : "0")).join("");
}

describe("selectors compared with results of Kubernetes", () => {
  it("come from the supported Kubernetes release, and are many", () => {
    assert.equal(labels.versions["k8s.io/apimachinery"], "v0.36.3");
    assert.equal(fields.versions["k8s.io/apimachinery"], "v0.36.3");
    assert.ok(labels.texts.length > 2000 && labels.objects.length > 400 && fields.texts.length > 1000);
  });

  it("parse, print and match label selectors like Kubernetes", () => {
    for (const vector of labels.texts) {
      if (vector.error) {
        assert.throws(() => parseLabelSelector(vector.in), ParseError, JSON.stringify(vector.in));
        continue;
      }
      const selector = parseLabelSelector(vector.in);

      assert.equal(selector.toString(), vector.text, JSON.stringify(vector.in));
      assert.equal(labelMatches(selector), vector.matches, JSON.stringify(vector.in));
    }
  });

  it("convert label selector objects like Kubernetes", () => {
    for (const vector of labels.objects) {
      const what = JSON.stringify(vector.selector);
      if (vector.error) {
        assert.throws(() => labelSelectorFrom(vector.selector), InvalidSelectorError, what);
        continue;
      }
      const selector = labelSelectorFrom(vector.selector);

      assert.equal(selector.toString(), vector.text, what);
      assert.equal(labelMatches(selector), vector.matches, what);
    }
  });

  it("parse, print and match field selectors like Kubernetes", () => {
    for (const vector of fields.texts) {
      if (vector.error) {
        assert.throws(() => parseFieldSelector(vector.in), ParseError, JSON.stringify(vector.in));
        continue;
      }
      const selector = parseFieldSelector(vector.in);

      assert.equal(selector.toString(), vector.text, JSON.stringify(vector.in));
      assert.equal(fieldMatches(selector), vector.matches, JSON.stringify(vector.in));
    }
  });

  it("report the same problems of label keys and values, with the same messages", () => {
    for (const vector of names.keys)
      assert.deepEqual(qualifiedNameProblems(vector.in), vector.problems ?? [], vector.in);
    for (const vector of names.values)
      assert.deepEqual(labelValueProblems(vector.in), vector.problems ?? [], vector.in);
  });
});
