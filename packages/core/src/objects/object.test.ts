import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { DeepReadonly, KubeObject } from "./object.ts";

/** Whether each can stand for the other. Tells a read-only list from one that can be written. */
type IsSame<A, B> = [A, B] extends [B, A] ? true : false;

describe("DeepReadonly", () => {
  it("makes lists and objects read-only at every level, and leaves primitives, brands and unknown as they are", () => {
    type Brand = string & { readonly brand: "quantity" };
    interface Spec {
      name: string;
      size: Brand;
      free: unknown;
      ports: { port: number }[];
      tags: readonly string[];
    }
    interface FrozenSpec {
      readonly name: string;
      readonly size: Brand;
      readonly free: unknown;
      readonly ports: readonly { readonly port: number }[];
      readonly tags: readonly string[];
    }

    const frozenSpec: IsSame<DeepReadonly<Spec>, FrozenSpec> = true;
    const unknownStays: IsSame<DeepReadonly<unknown>, unknown> = true;
    const canBeWritten: IsSame<DeepReadonly<string[]>, string[]> = false;

    assert.ok(frozenSpec && unknownStays && !canBeWritten);
  });

  it("accepts an object that can be written", () => {
    const read = (object: DeepReadonly<KubeObject>): string => object.kind;
    const pod: KubeObject = { apiVersion: "v1", kind: "Pod", metadata: { managedFields: [{ fieldsV1: { a: 1 } }] } };

    assert.equal(read(pod), "Pod");
  });
});
