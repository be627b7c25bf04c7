// Sample resources with scalar fields.

import { s } from "../builder/s.ts";
import { defineResource } from "../resource/define-resource.ts";
import type { Resource } from "../resource/resource.ts";

const group = "gallery.example.com";

/** Strings, numbers and booleans with every limit that the builder offers. */
export const scalars: Resource = defineResource({
  group,
  version: "v1",
  kind: "Scalars",
  plural: "scalars",
  singular: "scalarset",
  spec: {
    text: s.string().min(2).max(8).optional(),
    label: s.string().max(63).pattern("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$").optional(),
    anywhere: s
      .string()
      .pattern(String.raw`\d{2}`)
      .optional(),
    plan: s.enum("free", "team", "").describe("Billing plan.").optional(),
    small: s.int().min(-5).max(5),
    large: s.int64().optional(),
    port: s.int().enum(80, 443, 8080).optional(),
    even: s.int().multipleOf(2).optional(),
    share: s.number().above(0).below(1).optional(),
    ratio: s.number().min(-1.5).max(1.5).multipleOf(0.25).optional(),
    anyNumber: s.number().optional(),
    on: s.bool().optional(),
  },
});

/** Strings in every format that the API server validates. */
export const formats: Resource = defineResource({
  group,
  version: "v1",
  kind: "Format",
  spec: {
    bsonobjectid: s.string().format("bsonobjectid").optional(),
    byte: s.string().format("byte").optional(),
    cidr: s.string().format("cidr").optional(),
    creditcard: s.string().format("creditcard").optional(),
    date: s.string().format("date").optional(),
    dateTime: s.string().format("date-time").optional(),
    duration: s.string().format("duration").optional(),
    email: s.string().format("email").optional(),
    hexcolor: s.string().format("hexcolor").optional(),
    hostname: s.string().format("hostname").optional(),
    ipv4: s.string().format("ipv4").optional(),
    ipv6: s.string().format("ipv6").optional(),
    isbn: s.string().format("isbn").optional(),
    isbn10: s.string().format("isbn10").optional(),
    isbn13: s.string().format("isbn13").optional(),
    longName: s.string().format("k8s-long-name").optional(),
    shortName: s.string().format("k8s-short-name").optional(),
    mac: s.string().format("mac").optional(),
    password: s.string().format("password").optional(),
    rgbcolor: s.string().format("rgbcolor").optional(),
    ssn: s.string().format("ssn").optional(),
    uri: s.string().format("uri").optional(),
    uuid: s.string().format("uuid").optional(),
    uuid3: s.string().format("uuid3").optional(),
    uuid4: s.string().format("uuid4").optional(),
    uuid5: s.string().format("uuid5").optional(),
  },
});

/** Quantities, ports and percentages: each a number or a string. */
export const quantities: Resource = defineResource({
  group,
  version: "v1",
  kind: "Amount",
  spec: s
    .object({
      cpu: s.quantity().optional(),
      memory: s.quantity().default("64Mi"),
      size: s
        .quantityText()
        .rule({
          rule: "isQuantity(self) && quantity(self).isGreaterThan(quantity('0'))",
          message: "must be greater than zero",
        })
        .rule({ rule: "quantity(self).compareTo(quantity(oldSelf)) >= 0", message: "may only grow" })
        .default("1Gi"),
      port: s.intOrString().min(1).max(65535).maxLength(15).optional(),
      maxUnavailable: s.intOrString().pattern("^([0-9]|[1-9][0-9]|100)%$").default("25%"),
      ttl: s.intOrString().pattern("^[0-9]+(s|m|h|d|w)?$").nullable().optional(),
    })
    .rule({
      rule: "!has(self.cpu) || type(self.cpu) == int || isQuantity(string(self.cpu))",
      message: "cpu must be a quantity",
      fieldPath: ".cpu",
    }),
});

/** Durations and times. */
export const times: Resource = defineResource({
  group,
  version: "v1",
  kind: "Schedule",
  spec: s
    .object({
      every: s.duration().min("1m").max("168h").default("1h"),
      grace: s.duration().nullable().optional(),
      notBefore: s.time().optional(),
      notAfter: s.time().optional(),
      renewed: s.microTime().optional(),
    })
    .rule({
      rule: "!has(self.notBefore) || !has(self.notAfter) || self.notBefore < self.notAfter",
      message: "notBefore must be before notAfter",
      fieldPath: ".notBefore",
    }),
});

/** Fields that may be null. */
export const nullables: Resource = defineResource({
  group,
  version: "v1",
  kind: "Maybe",
  spec: {
    text: s.string().max(5).nullable().optional(),
    count: s.int().min(1).nullable(),
    flag: s.bool().nullable().optional(),
    withDefault: s.string().nullable().default("x"),
    object: s
      .object({ a: s.string().optional(), b: s.int().default(2) })
      .nullable()
      .optional(),
    list: s.list(s.string().nullable()).atomic().nullable().optional(),
    map: s.map(s.int().nullable()).nullable().optional(),
  },
});
