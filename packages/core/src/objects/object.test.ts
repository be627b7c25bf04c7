import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { KubeObject } from "./object.ts";
import type { DeepReadonly } from "../value/deep-readonly.ts";

/** True if two types are mutually assignable. Distinguishes readonly lists from mutable ones. */
type IsSame<A, B> = [A, B] extends [B, A] ? true : false;

describe("DeepReadonly", () => {
  it("makes lists and objects readonly at every depth, and keeps primitives, brands and unknown", () => {
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

  it("accepts a mutable object", () => {
    const read = (object: DeepReadonly<KubeObject>): string => object.kind;
    const pod: KubeObject = { apiVersion: "v1", kind: "Pod", metadata: { managedFields: [{ fieldsV1: { a: 1 } }] } };

    assert.equal(read(pod), "Pod");
  });
});
