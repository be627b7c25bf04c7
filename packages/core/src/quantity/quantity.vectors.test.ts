import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { ParseError } from "../errors/parse-error.ts";
import { isQuantity, parseQuantity } from "./parse-quantity.ts";

interface Parsed {
  in: string;
  error?: true;
  text: string;
  canonical?: string;
  format: string;
  value?: string;
  milli?: string;
  kubeValue?: string;
  int?: string;
  float: string;
}

interface Vectors {
  versions: Record<string, string>;
  parsed: Parsed[];
  pairs: { a: string; b: string; cmp: number; sum: string; sumInt?: string; sumFloat: string; difference: string }[];
  products: { a: string; by: string; product: string; int?: string }[];
}

const vectors = JSON.parse(readFileSync(new URL("../../vectors/quantity.json", import.meta.url), "utf8")) as Vectors;
const accepted = vectors.parsed.filter((vector) => vector.error !== true);

describe("quantities compared with results of Kubernetes", () => {
  it("come from the supported Kubernetes release, and are many", () => {
    assert.equal(vectors.versions["k8s.io/apimachinery"], "v0.36.3");
    assert.ok(accepted.length > 1500 && vectors.parsed.length - accepted.length > 200);
    assert.ok(vectors.pairs.length > 1000 && vectors.products.length > 300);
  });

  it("accept and refuse the same texts", () => {
    for (const vector of vectors.parsed) {
      assert.equal(isQuantity(vector.in), vector.error !== true, JSON.stringify(vector.in));
      if (vector.error) assert.throws(() => parseQuantity(vector.in), ParseError);
    }
  });

  it("print the same text and the same canonical text, in the same format", () => {
    for (const vector of accepted) {
      const quantity = parseQuantity(vector.in);

      assert.equal(quantity.toString(), vector.text, vector.in);
      assert.equal(quantity.canonical(), vector.canonical ?? vector.text, vector.in);
      assert.equal(quantity.format, vector.format, vector.in);
      assert.equal(JSON.stringify({ quantity }), JSON.stringify({ quantity: vector.text }));
    }
  });

  it("have the same values and milli values", () => {
    for (const vector of accepted) {
      if (vector.value === undefined || vector.milli === undefined) continue;
      const quantity = parseQuantity(vector.in);

      assert.equal(quantity.value(), BigInt(vector.value), vector.in);
      assert.equal(quantity.milliValue(), BigInt(vector.milli), vector.in);
    }
  });

  it("differ from Kubernetes' 64-bit value only where it overflowed or the number is negative", () => {
    const differing = accepted.filter((vector) => vector.kubeValue !== undefined);

    assert.ok(differing.length > 0);
    for (const vector of differing) {
      const quantity = parseQuantity(vector.in);
      const overflows = quantity.value() !== BigInt.asIntN(64, quantity.value());
      assert.ok(overflows || quantity.sign() < 0, vector.in);
    }
  });

  it("are integers to CEL in the same cases", () => {
    for (const vector of accepted) {
      const quantity = parseQuantity(vector.in);

      assert.equal(quantity.asInt64()?.toString(), vector.int, vector.in);
      assert.equal(quantity.isInteger(), vector.int !== undefined, vector.in);
    }
  });

  it("give the same double, bit for bit", () => {
    for (const vector of accepted) {
      assert.ok(Object.is(parseQuantity(vector.in).asApproximateNumber(), Number(vector.float)), vector.in);
    }
  });

  it("compare, add and subtract like Kubernetes", () => {
    for (const vector of vectors.pairs) {
      const [a, b] = [parseQuantity(vector.a), parseQuantity(vector.b)];
      const what = `${vector.a} and ${vector.b}`;

      assert.equal(a.compareTo(b), vector.cmp, what);
      assert.equal(a.isLessThan(b), vector.cmp < 0, what);
      assert.equal(a.isGreaterThan(b), vector.cmp > 0, what);
      assert.equal(a.equals(b), vector.cmp === 0, what);
      assert.equal(a.add(b).toString(), vector.sum, what);
      assert.equal(a.add(b).asInt64()?.toString(), vector.sumInt, what);
      assert.ok(Object.is(a.add(b).asApproximateNumber(), Number(vector.sumFloat)), what);
      assert.equal(a.sub(b).toString(), vector.difference, what);
    }
  });

  it("multiply like Kubernetes", () => {
    for (const vector of vectors.products) {
      const product = parseQuantity(vector.a).times(BigInt(vector.by));

      assert.equal(product.toString(), vector.product, `${vector.a} × ${vector.by}`);
      assert.equal(product.asInt64()?.toString(), vector.int, `${vector.a} × ${vector.by}`);
    }
  });
});
