import { quote } from "@homeostat/cel";
import { isRecord, type JsonRecord } from "@homeostat/core";
import { type CompiledSchema, compileSchema, formatProblem, type Problem } from "@homeostat/schema";
import { type MergeType, MergeTypes } from "../apply/merge-type.ts";
import { managedFieldsOf, withManagedFields } from "../apply/object-managed-fields.ts";
import { DecodeError } from "../codec/decode-error.ts";
import type { CompletedObject } from "../resources/served-kind.ts";
import { badRequestStatus } from "../status/refusals.ts";
import { StatusError } from "../status/status.ts";
import type { DefinitionVersion } from "./definition.ts";
import { mayHideFields } from "./hidden-fields.ts";

/** The schema of a version of a custom resource. Compiled on first use. */
export class VersionSchema {
  readonly apiVersion: string;
  readonly version: DefinitionVersion;
  readonly #kind: string;
  #compiled: CompiledSchema | undefined;
  #type: MergeType | undefined;
  #canHideFields: boolean | undefined;

  constructor(group: string, kind: string, version: DefinitionVersion) {
    this.apiVersion = `${group}/${version.name}`;
    this.version = version;
    this.#kind = kind;
  }

  get compiled(): CompiledSchema {
    return (this.#compiled ??= compileSchema(this.version.schema ?? { type: "object" }));
  }

  /** Merge type of the objects of this version. */
  get type(): MergeType {
    return (this.#type ??= new MergeTypes().ofObjects(this.version.schema));
  }

  /** True if objects may be stored with fields that readers do not see; see {@link mayHideFields}. */
  get canHideFields(): boolean {
    return (this.#canHideFields ??= mayHideFields(this.version.schema));
  }

  /**
   * Prunes and defaults an object from a client.
   *
   * @throws StatusError (400) if its metadata is malformed; the cause is a `DecodeError` with only the reason.
   */
  complete(object: JsonRecord): CompletedObject {
    const { value, dropped } = this.#pruned(object);
    const defaulted = this.compiled.applyDefaults(value);
    return {
      object: keepManagers(object, isRecord(defaulted) ? defaulted : {}),
      strictErrors: dropped.map((path) => `unknown field "${path}"`),
    };
  }

  /**
   * Defaults an object that a webhook changed. Unknown fields are kept here: they count as a change of the object, and
   * are pruned when it is stored.
   *
   * @throws StatusError as {@link complete} does.
   */
  applyDefaults(object: JsonRecord): JsonRecord {
    this.#pruned(object);
    const defaulted = this.compiled.applyDefaults(object);
    return isRecord(defaulted) ? defaulted : object;
  }

  /** Prunes and defaults a stored object according to the current schema, which may have changed since. */
  pruneAndDefault(object: JsonRecord): JsonRecord {
    const defaulted = this.compiled.applyDefaults(this.compiled.prune(object).value);
    return isRecord(defaulted) ? keepManagers(object, defaulted) : object;
  }

  /** Prunes an object that was converted to this version. */
  prune(object: JsonRecord): JsonRecord {
    const { value } = this.compiled.prune(object);
    return isRecord(value) ? keepManagers(object, value) : object;
  }

  /** Prunes an object. Throws if its metadata is malformed, see {@link complete}. */
  #pruned(object: JsonRecord): ReturnType<CompiledSchema["prune"]> {
    const pruned = this.compiled.prune(object);
    const [first] = pruned.malformed;
    if (first !== undefined) throw this.#unreadable(first);
    return pruned;
  }

  #unreadable(problem: Problem): StatusError {
    // Problems in the object's own metadata come from Go's decoder, those in embedded objects from validation.
    const reason = problem.path === "metadata" ? problem.detail : formatProblem(problem);
    const what = `${this.#kind} in version ${quote(this.version.name)} cannot be handled as a ${this.#kind}`;
    return new StatusError(badRequestStatus(`${what}: ${reason}`), { cause: new DecodeError(reason) });
  }
}

/** Restores `managedFields`, which the schema does not cover. */
function keepManagers(from: JsonRecord, object: JsonRecord): JsonRecord {
  const managers = managedFieldsOf(from);
  return managers === managedFieldsOf(object) || (managers.length === 0 && managedFieldsOf(object).length === 0)
    ? object
    : withManagedFields(object, managers);
}
