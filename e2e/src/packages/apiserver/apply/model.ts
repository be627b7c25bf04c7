// A custom resource in memory: the parts of a registry that field management needs.

import { applyMergePatch, isRecord, type JsonRecord } from "@homeostat/core";
import { type CompiledSchema, compileSchema, type Schema } from "@homeostat/schema";
import {
  type ApplyFailure,
  FieldManager,
  keepManagerTimes,
  managedFieldsOf,
  resetFieldsOf,
  type MergeType,
  MergeTypes,
  type Versions,
  withManagedFields,
} from "@homeostat/apiserver/internal";
import type { Operation } from "./operations.ts";

/** Result of a write. */
export type Outcome =
  | { readonly object: JsonRecord }
  | { readonly failure: Pick<ApplyFailure, "code" | "reason" | "message" | "causes"> };

interface Version {
  readonly compiled: CompiledSchema;
  readonly type: MergeType;
  readonly main: FieldManager;
  readonly status: FieldManager;
}

/** One object of a custom resource with a status subresource, stored in its first version. */
export class Model {
  readonly #group: string;
  readonly #kind: string;
  readonly #versions = new Map<string, Version>();
  readonly #storage: string;
  #stored: JsonRecord | undefined;
  now = 0;

  constructor(group: string, kind: string, schemas: Readonly<Record<string, Schema>>) {
    this.#group = group;
    this.#kind = kind;
    const names = Object.keys(schemas);
    this.#storage = names[0] ?? "";
    const types = new MergeTypes();
    const apiVersions = names.map((name) => `${group}/${name}`);
    const versions: Versions = {
      typeOf: (apiVersion) => this.#versions.get(apiVersion.slice(group.length + 1))?.type,
      convert: (object, apiVersion) =>
        apiVersions.includes(apiVersion)
          ? { object: { ...object, apiVersion } }
          : { problem: `request to convert CR to an invalid group/version: ${apiVersion}` },
    };
    for (const [name, schema] of Object.entries(schemas)) {
      const compiled = compileSchema(schema);
      const options = {
        gvk: { group, version: name, kind },
        versions,
        empty: { apiVersion: `${group}/${name}`, kind },
        // Pruning happens when the object is read again.
        complete: (object: JsonRecord) => asRecord(compiled.applyDefaults(object)),
        clock: { now: () => this.now },
      };
      const main = new FieldManager({ ...options, resetFields: resetFieldsOf([["status"]], [`${group}/${name}`]) });
      const reset = resetFieldsOf([["metadata"], ["spec"]], apiVersions);
      const status = new FieldManager({ ...options, subresource: "status", resetFields: reset });
      this.#versions.set(name, { compiled, type: types.ofObjects(schema), main, status });
    }
  }

  /** Returns the same object with other schemas. */
  with(schemas: Readonly<Record<string, Schema>>): Model {
    const model = new Model(this.#group, this.#kind, schemas);
    model.#stored = this.#stored;
    return model;
  }

  do(operation: Operation, name: string): Outcome {
    const version = this.#versions.get(operation.version);
    if (version === undefined) throw new Error("no such version");
    const live = this.#stored === undefined ? undefined : this.#read(operation.version, this.#stored);
    const manager = operation.subresource === "" ? version.main : version.status;
    const body = this.#named(operation, name);
    if (operation.verb === "apply") {
      const { manager: by, force } = operation;
      const applied = manager.apply({ live, config: body, manager: by, force });
      if (applied.failure !== undefined) return { failure: applied.failure };
      return this.#store(version, live, applied.object, operation);
    }
    const sent = operation.verb === "merge" ? asRecord(applyMergePatch(live ?? {}, operation.body)) : body;
    const uid = operation.verb === "merge" || live === undefined ? sent : withUid(sent);
    const object = this.#complete(version.compiled, uid);
    return this.#store(version, live, manager.update({ live, object, manager: operation.manager }), operation);
  }

  #named({ version, body }: Operation, name: string): JsonRecord {
    const metadata = isRecord(body["metadata"]) ? body["metadata"] : {};
    return {
      ...body,
      apiVersion: `${this.#group}/${version}`,
      kind: this.#kind,
      metadata: { ...metadata, name, namespace: "default" },
    };
  }

  #complete(compiled: CompiledSchema, object: JsonRecord): JsonRecord {
    const pruned = asRecord(compiled.applyDefaults(compiled.prune(object).value));
    // Pruning ignores managedFields, which are part of the metadata.
    return withManagedFields(pruned, managedFieldsOf(object));
  }

  #read(version: string, stored: JsonRecord): JsonRecord {
    const compiled = this.#versions.get(version)?.compiled;
    const renamed = { ...stored, apiVersion: `${this.#group}/${version}` };
    return compiled === undefined ? renamed : this.#complete(compiled, renamed);
  }

  #store(version: Version, live: JsonRecord | undefined, object: JsonRecord, operation: Operation): Outcome {
    const prepared = prepare(live, object, operation.subresource);
    const problems = version.compiled.validate(prepared, live === undefined ? {} : { old: live });
    // The status endpoint does not validate embedded resources.
    const isOverlooked = (path: string): boolean =>
      operation.subresource === "status" && /\.(?:apiVersion|kind|metadata(?:\..*)?)$/.test(path);
    if (problems.some(({ path }) => !isOverlooked(path)))
      return { failure: { code: 422 as 400, reason: "", message: "", causes: [] } };
    const kept = live === undefined ? prepared : keepManagerTimes(live, prepared);
    this.#stored = { ...kept, apiVersion: `${this.#group}/${this.#storage}` };
    // The response is read back from storage, which normalises it.
    return { object: this.#read(operation.version, this.#stored) };
  }
}

/** Keeps the parts that an endpoint does not write: the main endpoint ignores the status, the status endpoint everything else. */
function prepare(live: JsonRecord | undefined, object: JsonRecord, subresource: string): JsonRecord {
  const { status: sent, ...rest } = object;
  if (live === undefined) return withUid(rest);
  const { status: stored, ...main } = live;
  if (subresource === "") return { ...rest, ...(stored === undefined ? {} : { status: stored }) };
  const written = { ...main, ...(sent === undefined ? {} : { status: sent }) };
  return withManagedFields(written, managedFieldsOf(object));
}

function withUid(object: JsonRecord): JsonRecord {
  const metadata = isRecord(object["metadata"]) ? object["metadata"] : {};
  return { ...object, metadata: { ...metadata, uid: "u" } };
}

function asRecord(value: unknown): JsonRecord {
  if (!isRecord(value)) throw new Error("not an object");
  return value;
}
