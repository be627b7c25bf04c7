import { quote } from "@homeostat/cel";
import { isRecord, type JsonRecord } from "@homeostat/core";
import { type CompiledSchema, compileSchema, formatProblem, type Problem } from "@homeostat/schema";
import { type MergeType, MergeTypes } from "../apply/merge-type.ts";
import { managedFieldsOf, withManagedFields } from "../apply/object-managed-fields.ts";
import { DecodeError } from "../codec/decode-error.ts";
import type { CompletedObject } from "../registry/served-kind.ts";
import { badRequestStatus } from "../status/refusals.ts";
import { StatusError } from "../status/status.ts";
import type { DefinitionVersion } from "./definition.ts";
import { mayHideFields } from "./hidden-fields.ts";

/** The schema of one version of a custom resource, made ready for its objects. Compiled when it is first needed. */
export class VersionSchema {
  readonly apiVersion: string;
  readonly version: DefinitionVersion;
  readonly #kind: string;
  #compiled: CompiledSchema | undefined;
  #type: MergeType | undefined;
  #hides: boolean | undefined;

  constructor(group: string, kind: string, version: DefinitionVersion) {
    this.apiVersion = `${group}/${version.name}`;
    this.version = version;
    this.#kind = kind;
  }

  get compiled(): CompiledSchema {
    return (this.#compiled ??= compileSchema(this.version.schema ?? { type: "object" }));
  }

  /** How objects of this version merge. */
  get type(): MergeType {
    return (this.#type ??= new MergeTypes().ofObjects(this.version.schema));
  }

  /** Whether objects may be stored with fields that nobody is shown; see {@link mayHideFields}. */
  get hides(): boolean {
    return (this.#hides ??= mayHideFields(this.version.schema));
  }

  /**
   * An object as a client sent it, without what the schema does not know and with its defaults.
   *
   * Throws a `StatusError` (400) when its metadata cannot be read; the cause is a `DecodeError` with the reason alone.
   */
  complete(object: JsonRecord): CompletedObject {
    const { value, dropped } = this.#pruned(object);
    const filled = this.compiled.applyDefaults(value);
    return {
      object: keepManagers(object, isRecord(filled) ? filled : {}),
      complaints: dropped.map((path) => `unknown field "${path}"`),
    };
  }

  /**
   * An object as a webhook left it, with its defaults. What the schema does not know stays: it counts as a change of the object,
   * and goes when that is stored.
   *
   * Throws as {@link complete} does.
   */
  fill(object: JsonRecord): JsonRecord {
    this.#pruned(object);
    const filled = this.compiled.applyDefaults(object);
    return isRecord(filled) ? filled : object;
  }

  /** An object that was written before: what the schema does not know any more goes, what it fills in by now is there. */
  tidy(object: JsonRecord): JsonRecord {
    const filled = this.compiled.applyDefaults(this.compiled.prune(object).value);
    return isRecord(filled) ? keepManagers(object, filled) : object;
  }

  /** An object that was converted to this version: what the schema does not know goes. */
  trim(object: JsonRecord): JsonRecord {
    const { value } = this.compiled.prune(object);
    return isRecord(value) ? keepManagers(object, value) : object;
  }

  /** Throws when the metadata cannot be read; see {@link complete}. */
  #pruned(object: JsonRecord): ReturnType<CompiledSchema["prune"]> {
    const pruned = this.compiled.prune(object);
    const [first] = pruned.malformed;
    if (first !== undefined) throw this.#unreadable(first);
    return pruned;
  }

  #unreadable(problem: Problem): StatusError {
    // Of the object's own metadata Go's decoder speaks, of that of others the checks.
    const reason = problem.path === "metadata" ? problem.detail : formatProblem(problem);
    const what = `${this.#kind} in version ${quote(this.version.name)} cannot be handled as a ${this.#kind}`;
    return new StatusError(badRequestStatus(`${what}: ${reason}`), { cause: new DecodeError(reason) });
  }
}

/** Who owns what is not for the schema to say. */
function keepManagers(from: JsonRecord, object: JsonRecord): JsonRecord {
  const managers = managedFieldsOf(from);
  return managers === managedFieldsOf(object) || (managers.length === 0 && managedFieldsOf(object).length === 0)
    ? object
    : withManagedFields(object, managers);
}
