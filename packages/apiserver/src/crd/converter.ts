import type { JsonRecord } from "@homeostat/core";
import { unknownErrorStatus } from "../status/refusals.ts";
import { StatusError } from "../status/status.ts";
import { textOf } from "./read.ts";

/** Takes objects of a custom resource from one version to another. */
export interface Converter {
  /** Whether it answers at once, without asking anybody. */
  readonly isLocal: boolean;
  /**
   * The objects in a version, in their order; those that are in it already are left as they are.
   *
   * Throws, or rejects with, a `StatusError` in the words of the server.
   */
  readonly convert: (
    objects: readonly JsonRecord[],
    apiVersion: string,
  ) => readonly JsonRecord[] | Promise<readonly JsonRecord[]>;
}

/** Asks a conversion webhook: sends a body, and resolves with the body of a success. */
export type AskWebhook = (body: string) => Promise<string>;

/** Conversion that changes the name of the version and nothing else. */
export const renaming: Converter = {
  isLocal: true,
  convert: (objects, apiVersion) =>
    objects.map((object) => (textOf(object, "apiVersion") === apiVersion ? object : { ...object, apiVersion })),
};

/** The same with the versions of one definition, which are the only ones there are. */
export function among(apiVersions: readonly string[], converter: Converter): Converter {
  const known = new Set(apiVersions);
  return {
    isLocal: converter.isLocal,
    convert: (objects, apiVersion) => {
      if (!known.has(apiVersion)) throw refused(`request to convert CR to an invalid group/version: ${apiVersion}`);
      for (const object of objects) {
        const from = textOf(object, "apiVersion");
        if (!known.has(from)) throw refused(`request to convert CR from an invalid group/version: ${from}`);
      }
      return converter.convert(objects, apiVersion);
    },
  };
}

/** A conversion that failed: the server has no better word for it than an unknown error. */
export function refused(message: string, options?: ErrorOptions): StatusError {
  return new StatusError(unknownErrorStatus(message), options);
}

/** Thrown inside of synchronous work that needs an object in another version which only a webhook can make. */
export class ConversionNeeded extends Error {
  readonly object: JsonRecord;
  readonly apiVersion: string;

  constructor(object: JsonRecord, apiVersion: string) {
    super(`an object is needed in ${apiVersion}`);
    this.object = object;
    this.apiVersion = apiVersion;
  }
}
