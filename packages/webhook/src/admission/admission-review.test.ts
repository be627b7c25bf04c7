import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { applyJsonPatch, type JsonPatchOperation, type KubeObject, type ResourceType } from "@homeostat/core";
import { SeededRandom, inputCount } from "@homeostat/fuzz";
import { AdmissionDeniedError } from "../errors.ts";
import { handleAdmissionReview } from "./admission-review.ts";
import { type AdmissionWebhook, mutatingWebhook, validatingWebhook } from "./define-admission.ts";

interface Order extends KubeObject {
  spec: { image: string; replicas: number };
}

const Order: ResourceType<Order> = {
  group: "shop.example.com",
  version: "v1",
  kind: "Order",
  plural: "orders",
  scope: "Namespaced",
};
const { signal } = new AbortController();

function order(spec: Partial<Order["spec"]> = {}): Order {
  const metadata = { name: "a", namespace: "b" };
  return { apiVersion: "shop.example.com/v1", kind: "Order", metadata, spec: { image: "x", replicas: 1, ...spec } };
}

function review(request: object): string {
  const uid = "705ab4f5-6393-11e8-b7cc-42010a800002";
  const common = { uid, namespace: "b", name: "a", userInfo: { username: "u", groups: ["g"] } };
  return JSON.stringify({
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: { ...common, ...request },
  });
}

interface Response {
  uid: string;
  allowed: boolean;
  warnings?: string[];
  patch?: string;
  patchType?: string;
  status?: { code: number; reason: string; message: string; details?: { causes: unknown[] } };
}

async function sendReview(
  webhook: AdmissionWebhook,
  request: object,
): Promise<Response & { failures?: readonly unknown[] }> {
  const { body, failures, status } = await handleAdmissionReview(webhook, Buffer.from(review(request)), { signal });
  assert.equal(status, 200, body);
  const { response } = JSON.parse(body) as { response: Response };
  assert.equal(response.uid, "705ab4f5-6393-11e8-b7cc-42010a800002");
  return { ...response, ...(failures !== undefined && { failures }) };
}

const gate = validatingWebhook({
  for: Order,
  *validate(object, old) {
    if (old !== undefined && old.spec.image !== object.spec.image) yield { field: "spec.image", message: "is fixed" };
    if (object.spec.replicas < 0) yield { field: "spec.replicas", message: "is negative" };
    if (object.spec.replicas > 200) yield { field: "spec.replicas", message: "is slow", warn: true };
  },
  *validateDelete(old) {
    if (old.spec.replicas > 0) yield { message: "still has replicas" };
  },
});

describe("a validating webhook without functions", () => {
  it("cannot be defined", () => {
    const Thing = { group: "x.example.com", version: "v1", kind: "Thing", plural: "things", scope: "Cluster" } as const;

    assert.throws(() => validatingWebhook({ for: Thing }), {
      code: "ARGUMENT",
      message:
        "validatingWebhook for Thing has neither validate nor validateDelete, so it would never be called; give it one of them.",
    });
  });
});

describe("a validating webhook", () => {
  it("allows objects without findings and returns warnings", async () => {
    const passed = await sendReview(gate, { operation: "CREATE", object: order() });
    const warned = await sendReview(gate, { operation: "CREATE", object: order({ replicas: 300 }) });

    assert.deepEqual(passed, { uid: passed.uid, allowed: true });
    assert.deepEqual(warned, { uid: passed.uid, allowed: true, warnings: ["spec.replicas: is slow"] });
  });

  it("denies with all causes at once", async () => {
    const request = {
      operation: "UPDATE",
      kind: { group: "shop.example.com", version: "v1", kind: "Order" },
      object: order({ image: "y", replicas: -1 }),
      oldObject: order(),
    };

    const { allowed, status } = await sendReview(gate, request);

    assert.equal(allowed, false);
    assert.deepEqual(status, {
      status: "Failure",
      code: 422,
      reason: "Invalid",
      message: "spec.image: is fixed; spec.replicas: is negative",
      details: {
        name: "a",
        group: "shop.example.com",
        kind: "Order",
        causes: [
          { reason: "FieldValueInvalid", message: "is fixed", field: "spec.image" },
          { reason: "FieldValueInvalid", message: "is negative", field: "spec.replicas" },
        ],
      },
    });
  });

  it("gets the user of the request, without malformed attributes", async () => {
    const users: unknown[] = [];
    const webhook = validatingWebhook({
      for: Order,
      validate: (_, __, { user }) => {
        users.push(user);
        return [];
      },
    });
    const request = { operation: "CREATE", object: order() };

    await sendReview(webhook, {
      ...request,
      userInfo: { username: "u", uid: "1", groups: ["g"], extra: { "a/b": ["c"] } },
    });
    await sendReview(webhook, { ...request, userInfo: { username: 1, groups: "g", extra: { a: ["b", 1], c: "d" } } });

    assert.deepEqual(users, [
      { username: "u", uid: "1", groups: ["g"], extra: { "a/b": ["c"] } },
      { username: "", uid: "", groups: [], extra: { a: ["b"], c: [] } },
    ]);
  });

  it("validates deletions with the deleted object", async () => {
    const { allowed, status } = await sendReview(gate, { operation: "DELETE", object: null, oldObject: order() });

    assert.equal(allowed, false);
    assert.equal(status?.message, "still has replicas");
    assert.deepEqual(gate.operations, ["CREATE", "UPDATE", "DELETE"]);
    assert.equal(gate.path, "/validate-shop-example-com-v1-order");
  });

  it("uses its own summary as the denial message", async () => {
    const summing = validatingWebhook({
      for: Order,
      *validate() {
        yield { field: "spec.image", message: "is bad" };
        yield { field: "spec.replicas", message: "is worse" };
      },
      summary: (causes, { metadata }) => `${metadata.name} has ${causes.length} faults`,
    });

    const { status } = await sendReview(summing, { operation: "CREATE", object: order() });

    assert.equal(status?.message, "a has 2 faults");
    assert.equal(status?.details?.causes.length, 2);
  });

  it("denies with a constant message when it throws, and returns the error", async () => {
    const failure = new Error("password=hunter2");
    const broken = validatingWebhook({
      for: Order,
      *validate() {
        yield { message: "first" };
        throw failure;
      },
    });

    const { allowed, status, failures } = await sendReview(broken, { operation: "CREATE", object: order() });

    assert.equal(allowed, false);
    assert.equal(status?.code, 500);
    assert.doesNotMatch(JSON.stringify(status), /hunter2/);
    assert.deepEqual(failures, [failure]);
  });

  it("cannot change the object", async () => {
    const changing = validatingWebhook({
      for: Order,
      *validate(object) {
        Object.assign(object.spec, { replicas: 7 });
        yield { message: "not reached" };
      },
    });

    const { status, failures } = await sendReview(changing, { operation: "CREATE", object: order() });

    assert.equal(status?.code, 500);
    assert.ok(failures?.[0] instanceof TypeError);
  });

  it("stops an endless generator of findings and limits warnings as an API server does", async () => {
    const endless = validatingWebhook({
      for: Order,
      *validate() {
        for (;;) yield { message: "w".repeat(10_000), warn: true };
      },
    });

    const { warnings = [] } = await sendReview(endless, { operation: "CREATE", object: order() });

    assert.ok(warnings.every((warning) => warning.length <= 256));
    assert.ok(warnings.join("").length <= 4096);
  });
});

describe("a mutating webhook", () => {
  const patched = async (webhook: AdmissionWebhook, object: object): Promise<unknown> => {
    const { allowed, patch, patchType } = await sendReview(webhook, { operation: "CREATE", object });
    assert.equal(allowed, true);
    if (patch === undefined) return undefined;
    assert.equal(patchType, "JSONPatch");
    const operations = JSON.parse(Buffer.from(patch, "base64").toString()) as JsonPatchOperation[];
    return applyJsonPatch(object, operations);
  };

  it("returns the patch from the object to the returned one", async () => {
    const label = mutatingWebhook({
      for: Order,
      mutate(object) {
        object.metadata.labels = { ...object.metadata.labels, __proto__x: "1" };
        return { ...object, extra: undefined };
      },
    });

    assert.deepEqual(await patched(label, order()), {
      ...order(),
      metadata: { name: "a", namespace: "b", labels: { __proto__x: "1" } },
    });
  });

  it("may return a patch or undefined", async () => {
    const patch = mutatingWebhook({ for: Order, mutate: () => [{ op: "remove", path: "/spec/image" }] });
    const nothing = mutatingWebhook({ for: Order, mutate: async () => undefined });

    assert.deepEqual(await patched(patch, order()), { ...order(), spec: { replicas: 1 } });
    assert.equal(await patched(nothing, order()), undefined);
  });

  it("fails when the API server would reject its patch", async () => {
    const wrong = mutatingWebhook({ for: Order, mutate: () => [{ op: "remove", path: "/no/such" }] });

    const { allowed, status, failures } = await sendReview(wrong, { operation: "CREATE", object: order() });

    assert.equal(allowed, false);
    assert.equal(status?.code, 500);
    assert.equal(failures?.length, 1);
  });

  it("may deny with its own message", async () => {
    const denying = mutatingWebhook({
      for: Order,
      mutate: () => {
        throw new AdmissionDeniedError("the shop is closed", { code: 409, reason: "Conflict" });
      },
    });

    const { status, failures } = await sendReview(denying, { operation: "CREATE", object: order() });

    assert.deepEqual(status, { status: "Failure", code: 409, reason: "Conflict", message: "the shop is closed" });
    assert.equal(failures, undefined);
  });
});

describe("a body that is not a valid review", () => {
  const bad: Record<string, string> = {
    "is empty": "",
    "is not JSON": "{",
    "is a list": "[]",
    "is another kind": JSON.stringify({ apiVersion: "v1", kind: "Pod" }),
    "has no request": JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview" }),
    "has an object of another kind": review({ operation: "CREATE", object: { ...order(), kind: "Pod" } }),
    "has no object": review({ operation: "CREATE" }),
    "has an unknown operation": review({ operation: "PATCH", object: order() }),
    "has a uid that is too long": review({ uid: "x".repeat(10_000), operation: "CREATE", object: order() }),
  };
  const large: Record<string, string> = {
    "is nested too deeply": "[".repeat(1_000_000),
    "has an object that is nested too deeply": review({ object: {} }).replace(
      "{}",
      `${"[".repeat(501)}${"]".repeat(501)}`,
    ),
    "has more values than two objects": review({ object: Array.from({ length: 105_001 }, () => 0) }),
  };

  for (const [name, body] of Object.entries(large)) {
    it(`gets 413 when it ${name}`, async () => {
      const reply = await handleAdmissionReview(gate, Buffer.from(body), { signal });

      assert.equal(reply.status, 413);
      assert.equal((JSON.parse(reply.body) as { reason: string }).reason, "RequestEntityTooLarge");
    });
  }

  it("is denied when its object has too many values to be converted, but not because of the old object", async () => {
    const wide = { ...order(), status: Array.from({ length: 50_000 }, () => 0) };
    const responseTo = async (request: object): Promise<{ allowed: boolean; status?: { code: number } }> => {
      const reply = await handleAdmissionReview(gate, Buffer.from(review(request)), { signal });
      return (JSON.parse(reply.body) as { response: { allowed: boolean; status?: { code: number } } }).response;
    };

    const created = await responseTo({ operation: "CREATE", object: wide });
    const shrunk = await responseTo({ operation: "UPDATE", object: order(), oldObject: wide });

    assert.deepEqual([created.allowed, created.status?.code], [false, 413]);
    assert.equal(shrunk.allowed, true);
  });

  for (const [name, body] of Object.entries(bad)) {
    it(`gets 400 when it ${name}`, async () => {
      const reply = await handleAdmissionReview(gate, Buffer.from(body), { signal });

      assert.equal(reply.status, 400);
      assert.equal((JSON.parse(reply.body) as { kind: string }).kind, "Status");
    });
  }

  it("never causes more than a 400 for random input", async () => {
    const chance = new SeededRandom(7);
    const valid = [
      review({ operation: "UPDATE", object: order(), oldObject: order({ replicas: 300 }) }),
      review({ operation: "DELETE", object: null, oldObject: order() }),
    ];
    const pieces = [
      '"',
      "{",
      "}",
      "[",
      "]",
      "null",
      "1e999",
      '"__proto__":',
      '"constructor":',
      "\\u0000",
      "ü",
      ":",
      ",",
      "-",
    ];
    const same = mutatingWebhook({
      for: Order,
      mutate: (object) => ({ ...object, spec: { image: "z", replicas: 2 } }),
    });
    const statuses = new Set<number>();

    for (let count = 0; count < inputCount(100_000); count += 1) {
      const body = Buffer.from(chance.mutate(chance.pick(valid), pieces));
      const reply = await handleAdmissionReview(count % 2 === 0 ? gate : same, body, { signal });
      statuses.add(reply.status);
      JSON.parse(reply.body);
    }

    assert.deepEqual(
      [...statuses].sort((a, b) => a - b),
      [200, 400],
    );
    assert.equal(({} as Record<string, unknown>)["polluted"], undefined);
    assert.deepEqual(Object.keys(Object.prototype), []);
  });
});
