import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fuzz } from "@homeostat/fuzz";
import { defineConversion, defineResource, s } from "@homeostat/schema";
import { runAtOnce } from "../work/slices.ts";
import { handleConversionReview, convertReview } from "./conversion-review.ts";

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

function convert(body: string): { response: Response; failures: readonly unknown[] } {
  const reply = handleConversionReview([conversion], Buffer.from(body));
  assert.equal(reply.status, 200, reply.body);
  return { response: (JSON.parse(reply.body) as { response: Response }).response, failures: reply.failures ?? [] };
}

describe("a conversion webhook", () => {
  it("converts all objects and keeps their number, order and metadata", () => {
    const counts = Array.from({ length: 500 }, (_, index) => index + 100);

    const { response } = convert(review(counts.map(order)));

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

  it("accepts an empty list", () => {
    assert.deepEqual(convert(review([])).response.convertedObjects, []);
  });

  it("names each failed object without the text of an exception", () => {
    const { response, failures } = convert(review([order(1), order(13), { kind: "Other", apiVersion: "x/v1" }, null]));

    assert.equal(response.result.status, "Failure");
    assert.deepEqual(response.convertedObjects, []);
    assert.match(
      response.result.message ?? "",
      /^3 of 4 objects failed: .*n\/o13 cannot be converted.*"Other" of "x\/v1"/,
    );
    assert.doesNotMatch(response.result.message ?? "", /secret/);
    assert.equal(failures.length, 3);
  });

  it("stops after ten failures and returns only those", () => {
    let converted = 0;
    const counting = {
      ...conversion,
      convert: (object: unknown, to: string) => ((converted += 1), conversion.convert(object, to)),
    };
    const objects = [order(1), ...Array.from({ length: 5000 }, () => order(13))];

    const reply = handleConversionReview([counting], Buffer.from(review(objects)));

    const { result } = (JSON.parse(reply.body) as { response: Response }).response;
    assert.match(result.message ?? "", /^the conversion of 5001 objects stopped after 10 failures: n\/o13 /);
    assert.ok((result.message ?? "").length < 20_000);
    assert.equal(reply.failures?.length, 10);
    assert.equal(converted, 11);
  });

  it("works in small steps of one object or 256 KiB", () => {
    let inStep = 0;
    let inStepMax = 0;
    let steps = 0;
    const counting = {
      ...conversion,
      convert: (object: unknown, to: string) => ((inStep += 1), conversion.convert(object, to)),
    };
    const body = Buffer.from(review(Array.from({ length: 5_000 }, () => order(1))));

    for (const _ of convertReview([counting], body)) {
      inStepMax = Math.max(inStepMax, inStep);
      inStep = 0;
      steps += 1;
    }

    assert.equal(inStepMax, 1);
    assert.equal(steps, 5_000 + Math.floor(body.length / (256 * 1024)));
  });

  it("returns only the first notes", () => {
    const noting = {
      ...conversion,
      convert: (object: unknown, to: string) => ({ ...conversion.convert(object, to), warnings: ["a", "b"] }),
    };

    const { notes } = handleConversionReview(
      [noting],
      Buffer.from(review(Array.from({ length: 1000 }, () => order(1)))),
    );

    assert.deepEqual(notes, ["a", "b", "a", "b", "a", "b", "a", "b", "a", "b", "and 1990 more"]);
  });

  it("names an object with too many values and converts none", () => {
    const wide = { ...order(2), status: Array.from({ length: 50_000 }, () => 0) };

    const { response } = convert(review([order(1), wide]));

    assert.equal(response.result.status, "Failure");
    assert.match(
      response.result.message ?? "",
      /^1 of 2 objects failed: .*request\.objects\[1\] exceeds the limit of 50000 values/,
    );
  });

  it("responds with 429 when there is no memory for the response", () => {
    let room = 100_000;
    const reserve = (bytes: number): boolean => (room -= bytes) >= 0;
    const body = Buffer.from(review(Array.from({ length: 5000 }, () => order(1))));

    const reply = runAtOnce(convertReview([conversion], body, { reserve }));

    assert.equal(reply.status, 429);
    assert.equal(reply.retryAfterSeconds, 1);
  });

  it("responds with 400 to a body that is not a review", () => {
    const malformed = ["", "x", "{}", review("x"), review([], 7), review([]).replace("ConversionReview", "X")];
    const lists = ["[,]", "[{},]", "[{} {}]", "[}", "[", "[{]", "[{}", "[[}]", '["]', '[{"a":1]'];
    for (const body of [...malformed, ...lists.map((list) => review([]).replace("[]", list))]) {
      assert.equal(handleConversionReview([conversion], Buffer.from(body)).status, 400, body);
    }
  });

  it("never throws for random input", () => {
    const valid = review([order(1), order(2)]);

    fuzz({
      count: 100_000,
      input: (chance) =>
        chance.mutate(valid, ['"', "{", "}", "[", "]", "null", "1e999", '"__proto__":', "v1", "ü", ","]),
      run: (body) => {
        const reply = handleConversionReview([conversion], Buffer.from(body));
        const isJson = canParse(body);
        assert.equal(reply.status === 200 && !isJson, false, "only JSON is converted");
        assert.ok(reply.status === 200 || reply.status === 400);
        JSON.parse(reply.body);
      },
      isExpected: () => false,
    });
  });
});

function canParse(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
