import type { KubeObject } from "@homeostat/core";
import type { EmbeddedType } from "@homeostat/kubernetes";
import type { Json, Schema } from "../structural/schema.ts";
import { type DurationField, durationField, durationPattern } from "./duration.ts";
import type { DescribedType } from "./embedded.ts";
import type { Field, FieldInput, FieldOutput, Fields, FieldsInput, FieldsOutput } from "./field.ts";
import { type IntOrStringField, intOrStringField } from "./int-or-string.ts";
import { type JsonField, jsonField } from "./json-field.ts";
import { type ListWithoutType, listWithoutType } from "./list.ts";
import { type MapField, mapOf } from "./map.ts";
import { addFields, type ObjectField, objectField } from "./object.ts";
import { type BoolField, boolField, type NumberField, numberField, type StringField, stringField } from "./scalar.ts";
import { start } from "./state.ts";

/** What Kubernetes' own manifests write for a quantity. */
const quantityPattern: string = String.raw`^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$`;
const microTimePattern = String.raw`\.[0-9]{6}(Z|[+-][0-9]{2}:[0-9]{2})$`;

const intOrString: Schema = { anyOf: [{ type: "integer" }, { type: "string" }], "x-kubernetes-int-or-string": true };

/** How long the text of a quantity or a duration may be. Nobody needs more, and rules need a bound to be cheap. */
const shortTextMax = 64;

/** The field builder. Each call yields a field that is required until it says otherwise. */
export interface Builder {
  /** A text. */
  string(): StringField;
  /** One of these texts. */
  enum<const V extends string>(...values: readonly [V, ...V[]]): StringField<V>;
  /** A whole number of 32 bits, which is what most numbers in Kubernetes are. */
  int(): NumberField;
  /** A whole number of 64 bits. JavaScript holds it exactly only up to 2^53. */
  int64(): NumberField;
  /** A number that need not be whole. Kubernetes advises against it: not every client reads it back the same. */
  number(): NumberField;
  /** A truth value. */
  bool(): BoolField;
  /** An amount such as `500m` or `2Gi`, as a number or a text. In CEL: `quantity(string(self.memory))`. */
  quantity(): IntOrStringField;
  /** An amount such as `500m` or `2Gi`, always as a text, which CEL reads directly: `quantity(self.memory)`. */
  quantityText(): StringField;
  /** A whole number or a text, such as a port or a share. */
  intOrString(): IntOrStringField;
  /** A length of time such as `1h30m`. */
  duration(): DurationField;
  /** A moment, to the second: `2026-01-31T12:00:00Z`. */
  time(): StringField;
  /** A moment, to the microsecond with all six digits: `2026-01-31T12:00:00.000000Z`. */
  microTime(): StringField;
  /** An object with these fields. */
  object<F extends Fields>(fields: F): ObjectField<FieldsOutput<F>, FieldsInput<F>>;
  /** An object whose keys the user chooses. */
  map<V extends Field>(value: V): MapField<{ [key: string]: FieldOutput<V> }, { [key: string]: FieldInput<V> }>;
  /** A list; say next how it merges: `.mapBy("name")`, `.set()` or `.atomic()`. */
  list<Item extends Field>(item: Item): ListWithoutType<Item>;
  /** Any JSON. */
  json(): JsonField<Json>;
  /** An object whose fields nobody checks and nobody drops. `T` is a promise of the program that no one verifies. */
  opaque<T extends object = { [key: string]: unknown }>(): ObjectField<T>;
  /** A whole Kubernetes object inside this one. Its `apiVersion`, `kind` and `metadata` are checked, the rest is kept. */
  embeddedResource<T extends KubeObject = KubeObject>(): ObjectField<T>;
  /** A type described elsewhere, such as the pod template of Kubernetes. */
  embedded<T>(type: EmbeddedType<T> | DescribedType<T>): ObjectField<T>;
}

/**
 * Builds the fields of a resource.
 *
 * @example
 * s.object({ image: s.string().max(255), replicas: s.int().min(0).default(1) })
 */
export const s: Builder = {
  string: () => stringField(start({ type: "string" })),
  enum: (...values) => stringField(start({ type: "string", enum: values })),
  int: () => numberField(start({ type: "integer", format: "int32" })),
  int64: () => numberField(start({ type: "integer", format: "int64" })),
  number: () => numberField(start({ type: "number" })),
  bool: () => boolField(start({ type: "boolean" })),
  quantity: () => intOrStringField(start({ ...intOrString, pattern: quantityPattern })),
  quantityText: () => stringField(start({ type: "string", maxLength: shortTextMax, pattern: quantityPattern })),
  intOrString: () => intOrStringField(start(intOrString)),
  duration: () => durationField(start({ type: "string", maxLength: shortTextMax, pattern: durationPattern })),
  time: () => stringField(start({ type: "string", format: "date-time" })),
  microTime: () => stringField(start({ type: "string", format: "date-time", pattern: microTimePattern })),
  object: (fields) => objectField(addFields(start({ type: "object" }), fields)),
  map: (value) => mapOf(value),
  list: (item) => listWithoutType(item),
  json: () => jsonField(start({ "x-kubernetes-preserve-unknown-fields": true })),
  opaque: () => objectField(start({ type: "object", "x-kubernetes-preserve-unknown-fields": true })),
  embeddedResource: () =>
    objectField(
      start({
        type: "object",
        "x-kubernetes-embedded-resource": true,
        "x-kubernetes-preserve-unknown-fields": true,
      }),
    ),
  embedded: (type) => objectField(start(type.schema)),
};
