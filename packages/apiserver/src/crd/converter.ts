import type { JsonRecord } from "@homeostat/core";
import { unknownErrorStatus } from "../status/refusals.ts";
import { StatusError } from "../status/status.ts";
import { textOf } from "../values/properties.ts";

/** Converts objects of a custom resource between versions. */
export interface Converter {
  /** True if conversion is synchronous and calls no webhook. */
  readonly isLocal: boolean;
  /**
   * Returns the objects in a version, in the same order; those that are in it already are returned unchanged.
   *
   * @throws StatusError in the words of the API server; a returned promise rejects with it.
   */
  readonly convert: (
    objects: readonly JsonRecord[],
    apiVersion: string,
  ) => readonly JsonRecord[] | Promise<readonly JsonRecord[]>;
}

/** Calls a conversion webhook with a request body; resolves with the body of a successful response. */
export type CallWebhook = (body: string) => Promise<string>;

/** Converter for `strategy: None`: changes only the apiVersion. */
export const renamingConverter: Converter = {
  isLocal: true,
  convert: (objects, apiVersion) =>
    objects.map((object) => (textOf(object, "apiVersion") === apiVersion ? object : { ...object, apiVersion })),
};

/** Returns a converter that refuses all versions except those of the definition. */
export function limitedToVersions(apiVersions: readonly string[], converter: Converter): Converter {
  const allowed = new Set(apiVersions);
  return {
    isLocal: converter.isLocal,
    convert: (objects, apiVersion) => {
      if (!allowed.has(apiVersion))
        throw conversionError(`request to convert CR to an invalid group/version: ${apiVersion}`);
      for (const object of objects) {
        const from = textOf(object, "apiVersion");
        if (!allowed.has(from)) throw conversionError(`request to convert CR from an invalid group/version: ${from}`);
      }
      return converter.convert(objects, apiVersion);
    },
  };
}

/** Returns the error for a failed conversion. The API server reports it as an unknown error. */
export function conversionError(message: string, options?: ErrorOptions): StatusError {
  return new StatusError(unknownErrorStatus(message), options);
}

/**
 * Thrown by synchronous code that needs an object in a version which only a webhook can produce, see `withConversions`.
 */
export class ConversionNeeded extends Error {
  readonly object: JsonRecord;
  readonly apiVersion: string;

  constructor(object: JsonRecord, apiVersion: string) {
    super(`conversion to ${apiVersion} is needed`);
    this.object = object;
    this.apiVersion = apiVersion;
  }
}
