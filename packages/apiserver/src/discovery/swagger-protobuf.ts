// The OpenAPI v2 document in the protobuf encoding of gnostic (`openapiv2/OpenAPIv2.proto`), which kubectl requests.
//
// The tables list the fields of each message with their numbers. Maps become repeated pairs of name and value, sorted by name;
// values of arbitrary type (defaults, enum values, vendor extensions) become YAML strings.

import { isList, isRecord, type JsonRecord } from "@homeostat/core";
import { compareBytes } from "../codec/go-text.ts";
import { ProtobufWriter } from "../codec/protobuf-writer.ts";
import { yamlLibrary } from "../codec/yaml-library.ts";

/** Writes the fields of a message in reverse order, as {@link ProtobufWriter} requires. */
type WriteMessage = (writer: ProtobufWriter, value: unknown) => void;

/** Writes one field of a message. */
type WriteField = (writer: ProtobufWriter, number: number, value: unknown) => void;

/** A field: its JSON name, its number and its writer. */
type FieldRow = readonly [name: string, number: number, write: WriteField];

/** Options of {@link message}. */
interface MessageOptions {
  /** Number of the field that holds keys beginning with `x-`. */
  readonly extensions?: number;
}

const text: WriteField = (writer, number, value) => {
  if (typeof value === "string" && value !== "") writer.string(number, value);
};
const texts: WriteField = (writer, number, value) => {
  for (const each of reversed(value)) writer.string(number, String(each));
};
const truth: WriteField = (writer, number, value) => {
  if (value === true) writer.int(number, 1);
};
const whole: WriteField = (writer, number, value) => {
  if (typeof value === "number" && value !== 0) writer.int(number, value);
};
const double: WriteField = (writer, number, value) => {
  if (typeof value === "number" && value !== 0) writer.double(number, value);
};
const any: WriteField = (writer, number, value) => {
  if (value !== undefined) writer.message(number, () => writer.string(2, yamlOf(value)));
};

/** Writes a nested message. `write` is called lazily, so that messages can be recursive. */
function one(write: () => WriteMessage): WriteField {
  return (writer, number, value) => {
    if (value !== undefined) writer.message(number, () => write()(writer, value));
  };
}

/** Writes a repeated field. */
function many(write: WriteField): WriteField {
  return (writer, number, value) => {
    for (const each of reversed(value)) write(writer, number, each);
  };
}

/** Writes a map as pairs of name and value; `isIn` selects the keys. */
function pairs(write: WriteField, isIn: (name: string) => boolean = () => true): WriteField {
  return (writer, number, value) => {
    for (const name of keysOf(value).filter(isIn).reverse()) {
      writer.message(number, () => {
        write(writer, 2, isRecord(value) ? value[name] : undefined);
        text(writer, 1, name);
      });
    }
  };
}

const isExtension = (name: string): boolean => name.startsWith("x-");

function message(rows: readonly FieldRow[], { extensions }: MessageOptions = {}): WriteMessage {
  const all: readonly [name: string | undefined, number: number, write: WriteField][] = [
    ...rows,
    ...(extensions === undefined ? [] : [[undefined, extensions, pairs(any, isExtension)] as const]),
  ].map(([name, number, write]) => [name, number, write]);
  const last = all.toSorted(([, a], [, b]) => b - a);
  return (writer, value) => {
    for (const [name, number, write] of last) write(writer, number, name === undefined ? value : fieldOf(value, name));
  };
}

/** Returns the writer of a message with a single field that holds the whole value. */
function wrapped(number: number, write: WriteField): WriteMessage {
  return (writer, value) => write(writer, number, value);
}

/** Returns the writer of a message with a oneof: the value decides which field is set. */
function choice(choose: (value: unknown) => readonly [number: number, write: WriteField]): WriteMessage {
  return (writer, value) => {
    const [number, write] = choose(value);
    write(writer, number, value);
  };
}

const reference = message([
  ["$ref", 1, text],
  ["description", 2, text],
]);

const externalDocs = message(
  [
    ["description", 1, text],
    ["url", 2, text],
  ],
  { extensions: 3 },
);

const schemaField = one(() => schema);
const typeItem: WriteField = one(() => (writer, value) => texts(writer, 1, isList(value) ? value : [value]));
const itemsItem: WriteField = one(
  () => (writer, value) => many(schemaField)(writer, 1, isList(value) ? value : [value]),
);
const additionalItem: WriteField = one(() =>
  // A member of a oneof is written even when it is false.
  choice((value) =>
    typeof value === "boolean" ? [2, (writer, number) => writer.int(number, Number(value))] : [1, schemaField],
  ),
);

/** Returns the fields with limits of a value, numbered from `first`. Schemas and parameters share them with different numbers. */
function limits(first: number): FieldRow[] {
  const rows: readonly (readonly [string, WriteField])[] = [
    ["maximum", double],
    ["exclusiveMaximum", truth],
    ["minimum", double],
    ["exclusiveMinimum", truth],
    ["maxLength", whole],
    ["minLength", whole],
    ["pattern", text],
    ["maxItems", whole],
    ["minItems", whole],
    ["uniqueItems", truth],
  ];
  return rows.map(([name, write], index) => [name, first + index, write]);
}

const schema = message(
  [
    ["$ref", 1, text],
    ["format", 2, text],
    ["title", 3, text],
    ["description", 4, text],
    ["default", 5, any],
    ["multipleOf", 6, double],
    ...limits(7),
    ["maxProperties", 17, whole],
    ["minProperties", 18, whole],
    ["required", 19, texts],
    ["enum", 20, many(any)],
    ["additionalProperties", 21, additionalItem],
    ["type", 22, typeItem],
    ["items", 23, itemsItem],
    ["allOf", 24, many(schemaField)],
    ["properties", 25, one(() => wrapped(1, pairs(schemaField)))],
    ["discriminator", 26, text],
    ["readOnly", 27, truth],
    ["externalDocs", 29, one(() => externalDocs)],
    ["example", 30, any],
  ],
  { extensions: 31 },
);

/** Returns the fields of non-body parameters from `type` on; `first` is the number of `type`. */
function valueRows(first: number): FieldRow[] {
  return [
    ["type", first, text],
    ["format", first + 1, text],
    ["items", first + 2, one(() => primitives)],
    ["collectionFormat", first + 3, text],
    ["default", first + 4, any],
    ...limits(first + 5),
    ["enum", first + 15, many(any)],
    ["multipleOf", first + 16, double],
  ];
}

const primitives: WriteMessage = message(valueRows(1), { extensions: 18 });

const parameterHead: readonly FieldRow[] = [
  ["required", 1, truth],
  ["in", 2, text],
  ["description", 3, text],
  ["name", 4, text],
];
const plainParameter = message([...parameterHead, ...valueRows(5)], { extensions: 22 });
const emptyableParameter = message([...parameterHead, ["allowEmptyValue", 5, truth], ...valueRows(6)], {
  extensions: 23,
});
const bodyParameter = message(
  [
    ["description", 1, text],
    ["name", 2, text],
    ["in", 3, text],
    ["required", 4, truth],
    ["schema", 5, schemaField],
  ],
  { extensions: 6 },
);
const placedParameter = choice((value) => {
  switch (fieldOf(value, "in")) {
    case "header":
      return [1, one(() => plainParameter)];
    case "formData":
      return [2, one(() => emptyableParameter)];
    case "query":
      return [3, one(() => emptyableParameter)];
    default:
      return [4, one(() => plainParameter)];
  }
});
const parameter = choice((value) =>
  fieldOf(value, "in") === "body" ? [1, one(() => bodyParameter)] : [2, one(() => placedParameter)],
);
const parameters = many(one(() => orReference(parameter)));

/** Returns the writer of a message that holds either a value (field 1) or a reference to one (field 2). */
function orReference(write: WriteMessage): WriteMessage {
  return choice((value) => (fieldOf(value, "$ref") === undefined ? [1, one(() => write)] : [2, one(() => reference)]));
}

const response = message(
  [
    ["description", 1, text],
    ["schema", 2, one(() => wrapped(1, schemaField))],
  ],
  { extensions: 5 },
);
const responses: WriteMessage = (writer, value) => {
  pairs(any, isExtension)(writer, 2, value);
  pairs(
    one(() => orReference(response)),
    (name) => !isExtension(name),
  )(writer, 1, value);
};
const security = many(one(() => wrapped(1, pairs(one(() => wrapped(1, texts))))));
const operation = message(
  [
    ["tags", 1, texts],
    ["summary", 2, text],
    ["description", 3, text],
    ["externalDocs", 4, one(() => externalDocs)],
    ["operationId", 5, text],
    ["produces", 6, texts],
    ["consumes", 7, texts],
    ["parameters", 8, parameters],
    ["responses", 9, one(() => responses)],
    ["schemes", 10, texts],
    ["deprecated", 11, truth],
    ["security", 12, security],
  ],
  { extensions: 13 },
);
const pathItem = message(
  [
    ["$ref", 1, text],
    ...["get", "put", "post", "delete", "options", "head", "patch"].map((method, index): FieldRow => [
      method,
      index + 2,
      one(() => operation),
    ]),
    ["parameters", 9, parameters],
  ],
  { extensions: 10 },
);
const paths: WriteMessage = (writer, value) => {
  pairs(
    one(() => pathItem),
    (name) => !isExtension(name),
  )(writer, 2, value);
  pairs(any, isExtension)(writer, 1, value);
};
const info = message(
  [
    ["title", 1, text],
    ["version", 2, text],
    ["description", 3, text],
    ["termsOfService", 4, text],
  ],
  { extensions: 7 },
);
const apiKey = message(
  [
    ["type", 1, text],
    ["name", 2, text],
    ["in", 3, text],
    ["description", 4, text],
  ],
  { extensions: 5 },
);
const document = message(
  [
    ["swagger", 1, text],
    ["info", 2, one(() => info)],
    ["host", 3, text],
    ["basePath", 4, text],
    ["schemes", 5, texts],
    ["consumes", 6, texts],
    ["produces", 7, texts],
    ["paths", 8, one(() => paths)],
    ["definitions", 9, one(() => wrapped(1, pairs(schemaField)))],
    ["parameters", 10, one(() => wrapped(1, pairs(one(() => parameter))))],
    ["security", 12, security],
    // Kubernetes declares only the bearer token header: no other security scheme occurs.
    [
      "securityDefinitions",
      13,
      one(() =>
        wrapped(
          1,
          pairs(
            one(() =>
              wrapped(
                2,
                one(() => apiKey),
              ),
            ),
          ),
        ),
      ),
    ],
  ],
  { extensions: 16 },
);

/** Returns a Swagger 2.0 document as a gnostic `Document` message. */
export function encodeSwagger(swagger: unknown): Buffer {
  const writer = new ProtobufWriter();
  document(writer, swagger);
  return writer.finish();
}

const yamlTexts = new Map<string, string>();
const yamlTextsMax = 10_000;

/** Returns a value as YAML, with its keys in their order. Cached, because the same few extensions occur thousands of times. */
function yamlOf(value: unknown): string {
  const key = JSON.stringify(value);
  const known = yamlTexts.get(key);
  if (known !== undefined) return known;
  const yaml = yamlLibrary();
  const made = new yaml.Document(value, { aliasDuplicateObjects: false });
  yaml.visit(made, {
    Scalar: (_, scalar) => {
      if (typeof scalar.value === "string" && isAmbiguous(scalar.value)) scalar.type = "QUOTE_DOUBLE";
    },
  });
  const written = made.toString({ indentSeq: false, lineWidth: 0, singleQuote: true });
  if (yamlTexts.size >= yamlTextsMax) yamlTexts.clear();
  yamlTexts.set(key, written);
  return written;
}

/** Reports whether an unquoted string would be read as another type. The Go library writes such strings in double quotes. */
function isAmbiguous(value: string): boolean {
  return value === "" || /^(?:~|null|true|false|y|n|yes|no|on|off|[-+.]?\d[-+.\w:]*|[-+]?\.(?:inf|nan))$/i.test(value);
}

function fieldOf(value: unknown, name: string): unknown {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function keysOf(value: unknown): string[] {
  const record: JsonRecord = isRecord(value) ? value : {};
  return Object.keys(record).toSorted(compareBytes);
}

function reversed(value: unknown): readonly unknown[] {
  return isList(value) ? value.toReversed() : [];
}
