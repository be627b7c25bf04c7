import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fuzz } from "@homeostat/fuzz";
import { defineConversion, defineResource, s } from "@homeostat/schema";
import { answerConversion } from "./answer-conversion.ts";

const Order = defineResource({
  group: "shop.example.com",
  kind: "Order",
  versions: {
    v1: { spec: { count: s.int() } },
    v2: { storage: true, spec: { amount: s.object({ count: s.int(), unit: s.string().default("piece") }) } },
  },
});
const conversion = defineConversion(Order, {
  hub: "v2",
  spokes: {
    v1: {
      toHub: ({ spec }) => {
        if (spec.count === 13) throw new Error("secret");
        return { spec: { amount: { count: spec.count } } };
      },
      fromHub: ({ spec }) => ({ spec: { count: spec.amount.count } }),
    },
  },
});

function order(count: number): object {
  const metadata = { name: `o${count}`, namespace: "n", uid: `u${count}`, labels: { a: "b" } };
  return { apiVersion: "shop.example.com/v1", kind: "Order", metadata, spec: { count } };
}

function review(objects: unknown, desiredAPIVersion: unknown = "shop.example.com/v2"): string {
  const request = { uid: "1", desiredAPIVersion, objects };
  return JSON.stringify({ apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview", request });
}

interface Response {
  uid: string;
  convertedObjects: { apiVersion: string; metadata: unknown; spec: unknown }[];
  result: { status: string; message?: string };
}

function ask(body: string): { response: Response; failures: readonly unknown[] } {
  const reply = answerConversion([conversion], Buffer.from(body));
  assert.equal(reply.status, 200, reply.body);
  return { response: (JSON.parse(reply.body) as { response: Response }).response, failures: reply.failures ?? [] };
}

describe("a conversion webhook", () => {
  it("converts a batch and keeps count, order and metadata", () => {
    const counts = Array.from({ length: 500 }, (_, index) => index + 100);

    const { response } = ask(review(counts.map(order)));

    assert.equal(response.uid, "1");
    assert.deepEqual(response.result, { status: "Success" });
    assert.deepEqual(
      response.convertedObjects,
      counts.map((count) => ({
        ...order(count),
        apiVersion: "shop.example.com/v2",
        spec: { amount: { count, unit: "piece" } },
      })),
    );
  });

  it("answers an empty batch", () => {
    assert.deepEqual(ask(review([])).response.convertedObjects, []);
  });

  it("names each object that failed, without the words of an exception", () => {
    const { response, failures } = ask(review([order(1), order(13), { kind: "Other", apiVersion: "x/v1" }, null]));

    assert.equal(response.result.status, "Failure");
    assert.deepEqual(response.convertedObjects, []);
    assert.match(
      response.result.message ?? "",
      /^3 of 4 objects failed: .*n\/o13 cannot be converted.*"Other" of "x\/v1"/,
    );
    assert.doesNotMatch(response.result.message ?? "", /secret/);
    assert.equal(failures.length, 3);
  });

  it("counts failures that are too many to be told", () => {
    const { response } = ask(review(Array.from({ length: 5000 }, () => order(13))));

    assert.match(response.result.message ?? "", /And 4990 more\.$/);
    assert.ok((response.result.message ?? "").length < 20_000);
  });

  it("answers 400 to what is no review", () => {
    for (const body of ["", "x", "{}", review("x"), review([], 7), review([]).replace("ConversionReview", "X")]) {
      assert.equal(answerConversion([conversion], Buffer.from(body)).status, 400, body);
    }
  });

  it("never throws, whatever it is sent", () => {
    const valid = review([order(1), order(2)]);

    fuzz({
      count: 100_000,
      input: (chance) =>
        chance.mutate(valid, ['"', "{", "}", "[", "]", "null", "1e999", '"__proto__":', "v1", "ü", ","]),
      run: (body) => {
        const reply = answerConversion([conversion], Buffer.from(body));
        assert.ok(reply.status === 200 || reply.status === 400);
        JSON.parse(reply.body);
      },
      isExpected: () => false,
    });
  });
});
