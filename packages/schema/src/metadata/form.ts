/** The Go type that the API server decodes a part of object metadata into. */
export type Form =
  | { readonly kind: "text"; readonly goType: string }
  | { readonly kind: "int64" }
  | { readonly kind: "bool" }
  /** RFC 3339, stored in UTC with whole seconds. */
  | { readonly kind: "time" }
  /** Any JSON, stored unchanged. */
  | { readonly kind: "any" }
  | { readonly kind: "map"; readonly of: Form; readonly goType: string }
  | { readonly kind: "list"; readonly of: Form; readonly goType: string }
  | {
      readonly kind: "struct";
      readonly goName: string;
      readonly fields: ReadonlyMap<string, Form>;
      readonly always: readonly string[];
    };

const text: Form = { kind: "text", goType: "string" };
const uid: Form = { kind: "text", goType: "types.UID" };
const textMap: Form = { kind: "map", of: text, goType: "map[string]string" };

const ownerReference: Form = {
  kind: "struct",
  goName: "OwnerReference",
  fields: new Map<string, Form>([
    ["apiVersion", text],
    ["kind", text],
    ["name", text],
    ["uid", uid],
    ["controller", { kind: "bool" }],
    ["blockOwnerDeletion", { kind: "bool" }],
  ]),
  always: ["apiVersion", "kind", "name", "uid"],
};

const managedFieldsEntry: Form = {
  kind: "struct",
  goName: "ManagedFieldsEntry",
  fields: new Map<string, Form>([
    ["manager", text],
    ["operation", { kind: "text", goType: "v1.ManagedFieldsOperationType" }],
    ["apiVersion", text],
    ["time", { kind: "time" }],
    ["fieldsType", text],
    ["fieldsV1", { kind: "any" }],
    ["subresource", text],
  ]),
  always: [],
};

/** `ObjectMeta`. Fields with Go's zero value are omitted, except the required fields of owner references. */
export const objectMeta: Form = {
  kind: "struct",
  goName: "ObjectMeta",
  fields: new Map<string, Form>([
    ["name", text],
    ["generateName", text],
    ["namespace", text],
    ["selfLink", text],
    ["uid", uid],
    ["resourceVersion", text],
    ["generation", { kind: "int64" }],
    ["creationTimestamp", { kind: "time" }],
    ["deletionTimestamp", { kind: "time" }],
    ["deletionGracePeriodSeconds", { kind: "int64" }],
    ["labels", textMap],
    ["annotations", textMap],
    ["ownerReferences", { kind: "list", of: ownerReference, goType: "[]v1.OwnerReference" }],
    ["finalizers", { kind: "list", of: text, goType: "[]string" }],
    ["managedFields", { kind: "list", of: managedFieldsEntry, goType: "[]v1.ManagedFieldsEntry" }],
  ]),
  always: [],
};

/** Fields that are pointers in Go: a zero value is kept. */
export const kept: ReadonlySet<string> = new Set(["deletionGracePeriodSeconds", "controller", "blockOwnerDeletion"]);

/** Returns the name of a type in messages of Go's JSON decoder. */
export function goTypeOf(form: Form): string {
  switch (form.kind) {
    case "text":
    case "map":
    case "list":
      return form.goType;
    case "struct":
      return `v1.${form.goName}`;
    case "time":
      return "string";
    case "any":
      return "v1.FieldsV1";
    case "int64":
    case "bool":
      return form.kind;
  }
}
