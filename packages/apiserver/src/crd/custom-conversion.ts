import type { JsonRecord } from "@homeostat/core";
import type { Converted, Versions } from "../apply/typed-object.ts";
import { encodeJson } from "../codec/encode-json.ts";
import { StatusError } from "../status/status.ts";
import { limitedToVersions, ConversionNeeded, type Converter, renamingConverter } from "./converter.ts";
import type { Definition } from "./definition.ts";
import { textOf } from "../values/properties.ts";
import { sortedObject } from "./sort-keys.ts";
import { VersionSchema } from "./version-schema.ts";

/** Number of times work is restarted for another conversion. Only a defect could exceed it. */
const restartsMax = 100;

/**
 * The versions of one custom resource, and conversion between them and the storage version.
 *
 * Converted objects are cached for as long as the stored object exists.
 */
export class CustomConversion {
  readonly storedApiVersion: string;
  readonly versions: Versions;
  readonly #schemas: ReadonlyMap<string, VersionSchema>;
  readonly #converter: Converter;
  readonly #converted = new WeakMap<JsonRecord, Map<string, JsonRecord>>();

  /** `converter` converts between versions. Default: only the apiVersion differs. */
  constructor(definition: Definition, converter: Converter = renamingConverter) {
    const { group, versions, acceptedNames } = definition;
    const schemas = versions.map((version) => new VersionSchema(group, acceptedNames.kind, version));
    this.#schemas = new Map(schemas.map((schema) => [schema.apiVersion, schema]));
    this.storedApiVersion = schemas.find(({ version }) => version.isStored)?.apiVersion ?? "";
    this.#converter = limitedToVersions([...this.#schemas.keys()], converter);
    this.versions = {
      typeOf: (apiVersion) => this.#schemas.get(apiVersion)?.type,
      convert: (object, apiVersion) => this.#convertNow(object, apiVersion),
    };
  }

  /** Returns the schema of a version; undefined if there is no such version. */
  schemaOf(apiVersion: string): VersionSchema | undefined {
    return this.#schemas.get(apiVersion);
  }

  /** Returns a stored object in a version. Returns the same object if nothing differs. */
  fromStored(object: JsonRecord, apiVersion: string): JsonRecord | Promise<JsonRecord> {
    const cached = this.#converted.get(object)?.get(apiVersion);
    if (cached !== undefined) return cached;
    const keep = (result: JsonRecord): JsonRecord => {
      const all = this.#converted.get(object) ?? new Map<string, JsonRecord>();
      this.#converted.set(object, all.set(apiVersion, result));
      return result;
    };
    // Defaults are those of the storage version, whatever version is requested.
    const defaulted = this.#pruneAndDefault(object);
    const converted = this.#converter.convert([defaulted], apiVersion);
    const finish = ([result = defaulted]: readonly JsonRecord[]): JsonRecord =>
      keep(result === defaulted ? result : this.#prune(result));
    return converted instanceof Promise ? converted.then(finish) : finish(converted);
  }

  /** Returns stored objects in a version, with a single webhook call for all of them. */
  async fromStoredAll(objects: readonly JsonRecord[], apiVersion: string): Promise<JsonRecord[]> {
    const missing = objects.filter((object) => this.#converted.get(object)?.has(apiVersion) !== true);
    if (missing.length > 0) {
      const defaulted = missing.map((object) => this.#pruneAndDefault(object));
      const converted = await this.#converter.convert(defaulted, apiVersion);
      missing.forEach((object, index) => {
        const result = converted[index] ?? object;
        const all = this.#converted.get(object) ?? new Map<string, JsonRecord>();
        this.#converted.set(object, all.set(apiVersion, result === defaulted[index] ? result : this.#prune(result)));
      });
    }
    return objects.map((object) => this.#converted.get(object)?.get(apiVersion) ?? object);
  }

  /**
   * Returns an object of any version in the form to store.
   *
   * An object that is already in the storage version is stored as it is, including fields that readers do not see (see
   * `mayHideFields`): only a conversion prunes, as in the real server.
   */
  toStored(object: JsonRecord): JsonRecord | Promise<JsonRecord> {
    const converted = this.#converter.convert([object], this.storedApiVersion);
    const canHideFields = this.#schemas.get(this.storedApiVersion)?.canHideFields === true;
    const finish = ([result = object]: readonly JsonRecord[]): JsonRecord =>
      sortedObject(canHideFields && result === object ? result : this.#pruneAndDefault(result));
    return converted instanceof Promise ? converted.then(finish) : finish(converted);
  }

  /**
   * Runs synchronous work that may need objects in other versions.
   *
   * Field ownership is computed synchronously, but a conversion webhook is asynchronous. So the work throws
   * {@link ConversionNeeded} at the first missing conversion; this method performs it, caches the result, and runs the
   * work again from the start.
   *
   * @throws StatusError if the webhook fails.
   */
  async withConversions<T>(work: () => T): Promise<T> {
    for (let restarts = 0; ; restarts += 1) {
      try {
        return work();
      } catch (error) {
        if (!(error instanceof ConversionNeeded) || restarts >= restartsMax) throw error;
        await this.#prepare(error);
      }
    }
  }

  #pruneAndDefault(object: JsonRecord): JsonRecord {
    return this.#schemas.get(textOf(object, "apiVersion"))?.pruneAndDefault(object) ?? object;
  }

  #prune(object: JsonRecord): JsonRecord {
    return this.#schemas.get(textOf(object, "apiVersion"))?.prune(object) ?? object;
  }

  /** Results of conversions for `withConversions`, by object content and version. */
  readonly #prepared = new Map<string, Converted>();

  #convertNow(object: JsonRecord, apiVersion: string): Converted {
    if (!this.#schemas.has(apiVersion)) {
      return { problem: `request to convert CR to an invalid group/version: ${apiVersion}` };
    }
    const cached = this.#prepared.get(preparedKey(object, apiVersion));
    if (cached !== undefined) return cached;
    if (!this.#converter.isLocal) throw new ConversionNeeded(object, apiVersion);
    const result = this.#converter.convert([object], apiVersion);
    return result instanceof Promise ? { problem: "conversion requires a webhook" } : { object: result[0] ?? object };
  }

  async #prepare({ object, apiVersion }: ConversionNeeded): Promise<void> {
    const key = preparedKey(object, apiVersion);
    if (this.#prepared.size >= restartsMax) this.#prepared.clear();
    try {
      const [result = object] = await this.#converter.convert([object], apiVersion);
      this.#prepared.set(key, { object: result });
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      this.#prepared.set(key, { problem: error.message });
    }
  }
}

function preparedKey(object: JsonRecord, apiVersion: string): string {
  return `${apiVersion} ${encodeJson(object)}`;
}
