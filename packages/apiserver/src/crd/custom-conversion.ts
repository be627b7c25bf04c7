import type { JsonRecord } from "@homeostat/core";
import type { Converted, Versions } from "../apply/typed-object.ts";
import { encodeJson } from "../codec/encode-json.ts";
import { StatusError } from "../status/status.ts";
import { among, ConversionNeeded, type Converter, renaming } from "./converter.ts";
import type { Definition } from "./definition.ts";
import { textOf } from "./read.ts";
import { sortedObject } from "./sorted.ts";
import { VersionSchema } from "./version-schema.ts";

/** How often work is begun anew because it needs yet another conversion, before something must be wrong. */
const roundsMax = 100;

/**
 * All versions of one custom resource, and the ways between them and to the store.
 *
 * What was converted is remembered for as long as the object it was made of is.
 */
export class CustomConversion {
  readonly storedApiVersion: string;
  readonly versions: Versions;
  readonly #schemas: ReadonlyMap<string, VersionSchema>;
  readonly #converter: Converter;
  readonly #served = new WeakMap<JsonRecord, Map<string, JsonRecord>>();

  /** `converter` is asked where versions differ; by default they do not. */
  constructor(definition: Definition, converter: Converter = renaming) {
    const { group, versions, acceptedNames } = definition;
    const schemas = versions.map((version) => new VersionSchema(group, acceptedNames.kind, version));
    this.#schemas = new Map(schemas.map((schema) => [schema.apiVersion, schema]));
    this.storedApiVersion = schemas.find(({ version }) => version.isStored)?.apiVersion ?? "";
    this.#converter = among([...this.#schemas.keys()], converter);
    this.versions = {
      typeOf: (apiVersion) => this.#schemas.get(apiVersion)?.type,
      convert: (object, apiVersion) => this.#convertNow(object, apiVersion),
    };
  }

  /** The schema of a version; undefined when there is no such version. */
  schemaOf(apiVersion: string): VersionSchema | undefined {
    return this.#schemas.get(apiVersion);
  }

  /** A stored object as a version shows it. It is the same object where nothing differs. */
  fromStored(object: JsonRecord, apiVersion: string): JsonRecord | Promise<JsonRecord> {
    const known = this.#served.get(object)?.get(apiVersion);
    if (known !== undefined) return known;
    const keep = (made: JsonRecord): JsonRecord => {
      const all = this.#served.get(object) ?? new Map<string, JsonRecord>();
      this.#served.set(object, all.set(apiVersion, made));
      return made;
    };
    // Defaults are those of the version that is stored, whoever reads.
    const tidied = this.#tidy(object);
    const converted = this.#converter.convert([tidied], apiVersion);
    const finish = ([made = tidied]: readonly JsonRecord[]): JsonRecord =>
      keep(made === tidied ? made : this.#trim(made));
    return converted instanceof Promise ? converted.then(finish) : finish(converted);
  }

  /** Stored objects as a version shows them, with one question to a webhook for all of them. */
  async fromStoredAll(objects: readonly JsonRecord[], apiVersion: string): Promise<JsonRecord[]> {
    const missing = objects.filter((object) => this.#served.get(object)?.has(apiVersion) !== true);
    if (missing.length > 0) {
      const tidied = missing.map((object) => this.#tidy(object));
      const converted = await this.#converter.convert(tidied, apiVersion);
      missing.forEach((object, index) => {
        const made = converted[index] ?? object;
        const all = this.#served.get(object) ?? new Map<string, JsonRecord>();
        this.#served.set(object, all.set(apiVersion, made === tidied[index] ? made : this.#trim(made)));
      });
    }
    return objects.map((object) => this.#served.get(object)?.get(apiVersion) ?? object);
  }

  /**
   * An object of any version as it is to be stored.
   *
   * What is in the stored version already is stored as it is, with the fields that it hides: only a conversion prunes.
   */
  toStored(object: JsonRecord): JsonRecord | Promise<JsonRecord> {
    const converted = this.#converter.convert([object], this.storedApiVersion);
    const hides = this.#schemas.get(this.storedApiVersion)?.hides === true;
    const finish = ([made = object]: readonly JsonRecord[]): JsonRecord =>
      sortedObject(hides && made === object ? made : this.#tidy(made));
    return converted instanceof Promise ? converted.then(finish) : finish(converted);
  }

  /**
   * Runs work that may need objects in other versions, and runs it again when a webhook has made them.
   *
   * Rejects with a `StatusError` when the webhook cannot.
   */
  async withConversions<T>(work: () => T): Promise<T> {
    for (let round = 0; ; round += 1) {
      try {
        return work();
      } catch (error) {
        if (!(error instanceof ConversionNeeded) || round >= roundsMax) throw error;
        await this.#prepare(error);
      }
    }
  }

  #tidy(object: JsonRecord): JsonRecord {
    return this.#schemas.get(textOf(object, "apiVersion"))?.tidy(object) ?? object;
  }

  #trim(object: JsonRecord): JsonRecord {
    return this.#schemas.get(textOf(object, "apiVersion"))?.trim(object) ?? object;
  }

  /** Conversions of objects that are on their way, by what they are and whereto. */
  readonly #prepared = new Map<string, Converted>();

  #convertNow(object: JsonRecord, apiVersion: string): Converted {
    if (!this.#schemas.has(apiVersion)) {
      return { problem: `request to convert CR to an invalid group/version: ${apiVersion}` };
    }
    const known = this.#prepared.get(preparedKey(object, apiVersion));
    if (known !== undefined) return known;
    if (!this.#converter.isLocal) throw new ConversionNeeded(object, apiVersion);
    const made = this.#converter.convert([object], apiVersion);
    return made instanceof Promise ? { problem: "conversion takes time" } : { object: made[0] ?? object };
  }

  async #prepare({ object, apiVersion }: ConversionNeeded): Promise<void> {
    const key = preparedKey(object, apiVersion);
    if (this.#prepared.size >= roundsMax) this.#prepared.clear();
    try {
      const [made = object] = await this.#converter.convert([object], apiVersion);
      this.#prepared.set(key, { object: made });
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      this.#prepared.set(key, { problem: error.message });
    }
  }
}

function preparedKey(object: JsonRecord, apiVersion: string): string {
  return `${apiVersion} ${encodeJson(object)}`;
}
