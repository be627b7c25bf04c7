// Tests of the TypeScript types of fields. Most of this file is checked at compile time, the rest at run time.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { DeepReadonly, KubeObject } from "@homeostat/core";
import type { EnvVar, PodTemplateSpec } from "@homeostat/kubernetes/core/v1";
import { envVar, podTemplateSpec } from "@homeostat/kubernetes/core/v1/schemas";
import type { Json } from "../value/json.ts";
import type { DescribedType } from "./embedded.ts";
import type { Field, FieldInput, FieldOutput } from "./field.ts";
import { s } from "./s.ts";

/** True only for identical types: optional, readonly and `any` are distinguished. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the compiler compares such functions by identity of their types
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Compiles only if the field has these types for reading and writing. */
function reads<Out, In = Out>() {
  return <F extends Field>(
    field: F &
      (Equal<FieldOutput<F>, Out> extends true ? unknown : "is read as another type") &
      (Equal<FieldInput<F>, In> extends true ? unknown : "is written as another type"),
  ): F => field;
}

describe("the types of fields", () => {
  it("are the types of the values", () => {
    reads<string>()(s.string());
    reads<"free" | "team">()(s.enum("free", "team"));
    reads<"a" | "b">()(s.string().enum("a", "b"));
    reads<number>()(s.int());
    reads<number>()(s.int64());
    reads<1 | 2>()(s.int().enum(1, 2));
    reads<number>()(s.number());
    reads<boolean>()(s.bool());
    reads<number | string>()(s.quantity());
    reads<string>()(s.quantityText());
    reads<number | string>()(s.intOrString());
    reads<string>()(s.duration());
    reads<string>()(s.time());
    reads<string>()(s.microTime());
    reads<Json>()(s.json());
    reads<{ [key: string]: unknown }>()(s.opaque());
    reads<KubeObject>()(s.embeddedResource());
  });

  it("distinguish required, optional and defaulted fields for reading and writing", () => {
    reads<{ a: string; b?: string; c: string }, { a: string; b?: string; c?: string }>()(
      s.object({ a: s.string(), b: s.string().optional(), c: s.string().default("x") }),
    );
    reads<{ a: number; b?: boolean }, { a?: number; b?: boolean }>()(
      s.object({ a: s.int().min(1).default(2).describe("kept by every method"), b: s.bool().describe("x").optional() }),
    );
  });

  it("make a defaulted object present when read, with the presence of its own fields unchanged", () => {
    reads<{ redis: { size: number; name?: string } }, { redis?: { size?: number; name?: string } }>()(
      s.object({ redis: s.object({ size: s.int().default(1), name: s.string().optional() }).default({}) }),
    );
  });

  it("allow null where a field is nullable, and nowhere else", () => {
    reads<string | null>()(s.string().nullable());
    reads<"a" | null>()(s.string().nullable().enum("a"));
    reads<{ a?: number | null }>()(s.object({ a: s.int().nullable().optional() }));
    reads<{ x: string }[] | null>()(
      s
        .list(s.object({ x: s.string() }))
        .atomic()
        .nullable(),
    );
    reads<{ [key: string]: number } | null>()(s.map(s.int()).nullable());
    reads<{ x: string } | null>()(s.object({ x: s.string() }).nullable());
  });

  it("apply inside lists and maps", () => {
    reads<{ name: string; port: number }[], { name: string; port?: number }[]>()(
      s.list(s.object({ name: s.string(), port: s.int().default(80) })).mapBy("name"),
    );
    reads<string[]>()(s.list(s.string()).set());
    reads<{ [key: string]: { on: boolean } }, { [key: string]: { on?: boolean } }>()(
      s.map(s.object({ on: s.bool().default(true) })),
    );
  });

  it("are taken from embedded types, and can be extended", () => {
    interface Mount {
      name: string;
      path: string;
      readOnly?: boolean;
    }
    const mount: DescribedType<Mount> = {
      name: "Mount",
      schema: { type: "object", properties: { name: { type: "string" } } },
    };

    reads<Mount>()(s.embedded(mount));
    reads<Mount[]>()(s.list(s.embedded(mount)).mapBy("name", "path"));
    reads<
      { name: string; path: string; readOnly?: boolean; target: "master" | "both" },
      { name: string; path: string; readOnly?: boolean; target?: "master" | "both" }
    >()(s.embedded(mount).extend({ target: s.enum("master", "both").default("both") }));
    reads<Mount>()(s.opaque<Mount>());
    reads<EnvVar[]>()(s.list(s.embedded(envVar)).mapBy("name"));
    reads<PodTemplateSpec>()(s.embedded(podTemplateSpec));
  });

  it("keep unknown fields readable where they are preserved", () => {
    reads<{ [x: string]: unknown; a: string }>()(s.object({ a: s.string() }).preserveUnknown());
  });

  it("can be made read-only at every depth, as a cache does", () => {
    const field = s.object({ tags: s.list(s.string()).set(), inner: s.object({ a: s.int().default(1) }) });
    type Read = DeepReadonly<FieldOutput<typeof field>>;
    const same: Equal<Read, { readonly tags: readonly string[]; readonly inner: { readonly a: number } }> = true;

    assert.ok(same);
  });
});

/** Takes code that must compile, or must not (with `@ts-expect-error`). Does not run it. */
function compiles(code: () => void): void {
  assert.equal(typeof code, "function");
}

describe("the compiler", () => {
  it("rejects a default of another type", () => {
    compiles(() => {
      // @ts-expect-error the default is not one of the values
      s.enum("free", "team").default("fre");
      // @ts-expect-error the default is a string
      s.int().default("1");
      // @ts-expect-error the field inside is missing
      s.object({ a: s.int() }).default({});
      // @ts-expect-error there is no such field
      s.object({ a: s.int().default(1) }).default({ b: 1 });
      // @ts-expect-error a default of null is no default to the API server
      s.string().nullable().default(null);
      s.object({ a: s.int().default(1) }).default({});
    });
  });

  it("rejects a list without a list type", () => {
    compiles(() => {
      // @ts-expect-error a list without a type is no field
      s.object({ tags: s.list(s.string()) });
      // @ts-expect-error nor is it an item
      s.list(s.list(s.string()));
      // @ts-expect-error nor is it a value
      s.map(s.list(s.string()));
      // @ts-expect-error a list is optional after it has a type
      s.list(s.string()).optional();
      // @ts-expect-error and so it is with every other method
      s.list(s.string()).default([]);
      s.list(s.string()).set().optional();
    });
  });

  it("shows what is missing in a list without a list type", () => {
    type Hint = ReturnType<typeof s.list>["schema"]["~missing"];

    assert.ok(
      true satisfies Equal<Hint, 'list type: add .set(), .atomic() or .mapBy("name") after s.list(...)' | undefined>,
    );
  });

  it("rejects list map keys that are not required or defaulted scalars", () => {
    compiles(() => {
      const item = s.object({
        name: s.string(),
        protocol: s.enum("TCP", "UDP").default("TCP"),
        host: s.string().optional(),
        labels: s.map(s.string()),
      });
      s.list(item).mapBy("name", "protocol");
      // @ts-expect-error an optional field may be missing
      s.list(item).mapBy("host");
      // @ts-expect-error a map is no scalar
      s.list(item).mapBy("labels");
      // @ts-expect-error there is no such field
      s.list(item).mapBy("nme");
      // @ts-expect-error a list of strings has no keys
      s.list(s.string()).mapBy("length");
      // @ts-expect-error at least one key
      s.list(item).mapBy();
    });
  });

  it("rejects union fields that are always present", () => {
    compiles(() => {
      const source = s.object({ value: s.string().optional(), from: s.string().optional(), name: s.string() });
      source.exactlyOneOf("value", "from");
      // @ts-expect-error name is required
      source.exactlyOneOf("value", "name");
    });
  });

  it("rejects methods of another field type, and formats that the API server ignores", () => {
    compiles(() => {
      // @ts-expect-error a truth value has no minimum
      s.bool().min(1);
      // @ts-expect-error no server knows this format
      s.string().format("semver");
      // @ts-expect-error an enum needs a value
      s.enum();
    });
  });
});
