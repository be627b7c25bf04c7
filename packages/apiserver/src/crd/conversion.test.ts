import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type JsonRecord, SeededRandom } from "@homeostat/core";
import { StatusError } from "../status/status.ts";
import { ConversionNeeded } from "./converter.ts";
import { CustomConversion } from "./custom-conversion.ts";
import { type Definition, readDefinition } from "./definition.ts";
import { definition, version } from "../testing/crd-definition.ts";
import { webhookConverter } from "./webhook-converter.ts";

const spec = (properties: JsonRecord): JsonRecord => ({
  schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties } } } },
});

/** Returns a definition with two versions: the storage version has a default, the other one field less and one more. */
function twoVersions(): Definition {
  const read = readDefinition(
    definition({
      versions: [
        version("v1", spec({ a: { type: "string", default: "d" }, b: { type: "string" } })),
        version("v2", spec({ a: { type: "string" }, c: { type: "string", default: "never" } })),
      ],
    }),
  );
  return { ...read, acceptedNames: read.names };
}

const object = (apiVersion: string, body: JsonRecord): JsonRecord => ({
  apiVersion: `example.com/${apiVersion}`,
  kind: "Thing",
  metadata: { name: "x", namespace: "n", uid: "u", resourceVersion: "7" },
  spec: body,
});

describe("CustomConversion", () => {
  it("applies the defaults of the storage version, and prunes for the requested one", () => {
    const conversion = new CustomConversion(twoVersions());
    const stored = object("v1", { b: "2" });

    assert.deepEqual(conversion.fromStored(stored, "example.com/v2"), object("v2", { a: "d" }));
    assert.deepEqual(conversion.fromStored(stored, "example.com/v1"), object("v1", { b: "2", a: "d" }));
    assert.deepEqual(conversion.toStored(object("v2", { a: "1", c: "3" })), object("v1", { a: "1" }));
  });

  it("returns the same object if nothing differs, and sorts keys for storage", () => {
    const conversion = new CustomConversion(twoVersions());
    const stored = object("v1", { a: "1", b: "2" });

    assert.equal(conversion.fromStored(stored, "example.com/v1"), stored);
    assert.deepEqual(Object.keys(conversion.toStored({ spec: { b: "1", a: "2" }, ...stored }) as JsonRecord), [
      "apiVersion",
      "kind",
      "metadata",
      "spec",
    ]);
  });

  it("stores fields that it hides from readers, unless it must convert", () => {
    const open = spec({ in: { type: "object" } });
    const read = readDefinition(definition({ versions: [version("v1", open), version("v2", open)] }));
    const conversion = new CustomConversion({ ...read, acceptedNames: read.names });
    const hiding = object("v1", { in: { unknown: 1 } });
    const shown = object("v1", { in: {} });

    assert.deepEqual(conversion.toStored(hiding), hiding);
    assert.deepEqual(conversion.fromStored(hiding, "example.com/v1"), shown);
    assert.deepEqual(conversion.fromStored(hiding, "example.com/v2"), object("v2", { in: {} }));
    assert.deepEqual(conversion.toStored(object("v2", { in: { unknown: 1 } })), shown);
  });

  it("refuses versions that the definition does not have", () => {
    const conversion = new CustomConversion(twoVersions());

    assert.throws(
      () => conversion.fromStored(object("v9", {}), "example.com/v1"),
      (error) =>
        error instanceof StatusError &&
        error.message === "request to convert CR from an invalid group/version: example.com/v9",
    );
  });

  it("calls a webhook once for many objects, and never twice for one", async () => {
    const callSizes: number[] = [];
    const conversion = new CustomConversion(
      twoVersions(),
      converterWithObjects((objects) => {
        callSizes.push(objects.length);
        return objects.map((each) => ({ ...each, apiVersion: "example.com/v2" }));
      }),
    );
    const stored = [object("v1", { a: "1" }), object("v1", { a: "2" })];

    const all = await conversion.fromStoredAll(stored, "example.com/v2");
    const again = await conversion.fromStored(stored[0] ?? {}, "example.com/v2");

    assert.deepEqual(all, [object("v2", { a: "1" }), object("v2", { a: "2" })]);
    assert.equal(again, all[0]);
    assert.deepEqual(callSizes, [2]);
  });

  it("runs work again after the webhook converted the needed objects", async () => {
    const conversion = new CustomConversion(
      twoVersions(),
      converterWithObjects((objects) => objects.map((each) => ({ ...each, apiVersion: "example.com/v2" }))),
    );
    let runs = 0;

    const converted = await conversion.withConversions(() => {
      runs += 1;
      return conversion.versions.convert(object("v1", { a: "1" }), "example.com/v2");
    });

    assert.deepEqual(converted, { object: object("v2", { a: "1" }) });
    assert.equal(runs, 2);
    assert.throws(() => conversion.versions.convert(object("v1", { a: "2" }), "example.com/v2"), ConversionNeeded);
  });
});

/** Returns a converter whose webhook responds correctly, with the objects that `make` returns. */
function converterWithObjects(make: (objects: JsonRecord[]) => unknown): ReturnType<typeof webhookConverter> {
  return converterWithResponse((review) => ({
    ...review,
    response: {
      uid: review.request.uid,
      result: { status: "Success" },
      convertedObjects: make(review.request.objects),
    },
  }));
}

interface Review extends JsonRecord {
  readonly request: { readonly uid: string; readonly objects: JsonRecord[] };
}

function converterWithResponse(respond: (review: Review) => unknown): ReturnType<typeof webhookConverter> {
  return webhookConverter({
    call: async (body) => {
      const response = respond(JSON.parse(body) as Review);
      return typeof response === "string" ? response : JSON.stringify(response);
    },
    reviewVersions: ["v2", "v1"],
    random: new SeededRandom(1),
  });
}

describe("webhookConverter", () => {
  const about = "conversion webhook for example.com/v1, Kind=Thing";
  const convert = async (converter: ReturnType<typeof webhookConverter>): Promise<string> => {
    try {
      return JSON.stringify(await converter.convert([object("v1", {})], "example.com/v2"));
    } catch (error) {
      return error instanceof StatusError ? error.message : `not a status: ${String(error)}`;
    }
  };
  const renamed = (over: JsonRecord, metadata: JsonRecord = {}): ReturnType<typeof webhookConverter> =>
    converterWithObjects((objects) =>
      objects.map((each) => ({
        ...each,
        apiVersion: "example.com/v2",
        ...over,
        metadata: { ...(each["metadata"] as JsonRecord), ...metadata },
      })),
    );

  it("keeps metadata except labels and annotations, and the resourceVersion that the webhook does not see", async () => {
    const converter = renamed({ spec: { n: 1 } }, { labels: { a: "b" }, generation: 99 });

    const text = await convert(converter);

    assert.deepEqual(JSON.parse(text), [
      {
        ...object("v2", { n: 1 }),
        metadata: { name: "x", namespace: "n", uid: "u", resourceVersion: "7", labels: { a: "b" } },
      },
    ]);
  });

  const cases: readonly (readonly [what: string, converter: ReturnType<typeof webhookConverter>, message: string])[] = [
    ["too few objects", converterWithObjects(() => []), `${about} returned 0 objects, expected 1`],
    [
      "another version",
      renamed({ apiVersion: "a/b" }),
      `${about} returned invalid object at index 0: invalid groupVersion (expected example.com/v2, received a/b)`,
    ],
    [
      "another kind",
      renamed({ kind: "Other" }),
      `${about} returned invalid object at index 0: invalid kind (expected Thing, received Other)`,
    ],
    ["another name", renamed({}, { name: "y" }), `${about} returned invalid object: must have the same name: x != y`],
    [
      "a label that is a number",
      renamed({}, { labels: { a: 1 } }),
      `${about} returned invalid metadata: metadata.labels[a] must be a string, but is int64 in converted object`,
    ],
    [
      "something else",
      converterWithObjects(() => ["x"]),
      "json: cannot unmarshal string into Go value of type map[string]interface {}",
    ],
    [
      "no response",
      converterWithResponse(({ kind, apiVersion }) => ({ kind, apiVersion })),
      `${about} failed: no response provided`,
    ],
    [
      "a refusal",
      converterWithResponse(({ request, ...rest }) => ({
        ...rest,
        response: { uid: request.uid, result: { status: "Failure", message: "no" } },
      })),
      `${about} failed: no`,
    ],
  ];

  for (const [what, converter, message] of cases) {
    it(`refuses ${what} in the words of the server`, async () => {
      assert.equal(await convert(converter), message);
    });
  }
});
