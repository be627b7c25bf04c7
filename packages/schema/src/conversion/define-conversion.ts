import type { KubeObject } from "@homeostat/core";
import { invalid, type Problem, required } from "../problem/problem.ts";
import { DefinitionError } from "../problem/definition-error.ts";
import type { Resource, ResourceVersion } from "../resource/resource.ts";
import { makeConverter, type Spoke } from "./convert.ts";

/** An object without `apiVersion`, `kind` and `metadata`: its `spec` and `status`. */
export type BodyOf<T> = { [K in keyof T as Exclude<K, keyof KubeObject>]: T[K] };

/**
 * Conversion functions between one version and the hub.
 *
 * Each function gets a copy of the object with all defaults applied, and may change it.
 */
export interface SpokeDefinition<SpokeOut, SpokeIn, HubOut, HubIn> {
  /** Converts a spoke object to the hub version. */
  toHub(object: BodyOf<SpokeOut>): BodyOf<HubIn>;
  /** Converts a hub object to the spoke version. Values that the spoke cannot represent are stashed. */
  fromHub(object: BodyOf<HubOut>): BodyOf<SpokeIn>;
  /**
   * True to also stash values of the spoke that the hub cannot represent. Default false: a hub should be able to represent all
   * versions, and this stash would be stored with the object, visible to all clients.
   */
  readonly keepSpoke?: boolean;
}

/** Conversion functions of all versions except the hub. */
export type SpokeDefinitions<Versions, Hub extends keyof Versions> = {
  readonly [N in Exclude<keyof Versions, Hub>]: SpokeBetween<Versions[N], Versions[Hub]>;
};

type SpokeBetween<S, H> =
  S extends ResourceVersion<infer SpokeOut, infer SpokeIn>
    ? H extends ResourceVersion<infer HubOut, infer HubIn>
      ? SpokeDefinition<SpokeOut, SpokeIn, HubOut, HubIn>
      : never
    : never;

/** The conversion between the versions of a resource. */
export interface ConversionDefinition<Versions, Hub extends keyof Versions & string> {
  /** The version through which all others are converted: usually the newest one, which is also the storage version. */
  readonly hub: Hub;
  readonly spokes: SpokeDefinitions<Versions, Hub>;
  /** Maximum size of a stash in bytes. Default 200 KiB; the API server limits all annotations of an object to 256 KiB. */
  readonly stashBytesMax?: number;
  /** Returns the annotation for the stashed values of `version`. Default `<group>/<version>-stash`. */
  readonly annotation?: (version: string) => string;
}

/** The result of a conversion. */
export interface Converted {
  readonly object: KubeObject;
  /** Messages to log: a stash that was ignored, or a stashed value that was dropped. Usually empty. */
  readonly warnings: readonly string[];
}

/** Converts objects between the versions of a resource. */
export interface Conversion {
  readonly resource: Resource;
  /** The name of the hub version. */
  readonly hub: string;
  /**
   * Converts an object to the version `apiVersion` (`group/version`). Does not modify the argument.
   *
   * Keeps the metadata except for stash annotations. All errors are `ConversionError`s.
   */
  convert(object: unknown, apiVersion: string): Converted;
  /** Converts all objects, in order. Throws at the first that cannot be converted. */
  convertAll(objects: readonly unknown[], apiVersion: string): Converted[];
}

/**
 * Defines the conversion between the versions of a resource: each version has a pair of functions to and from the hub.
 *
 * Conversion is lossless. After converting a hub object to a spoke, the result is converted back and compared with the original.
 * The differences, which are the values that the spoke cannot represent, are stashed in an annotation of the spoke object. On
 * conversion back to the hub each stashed value is restored, unless its field was changed in the spoke version in the meantime:
 * then the change wins.
 *
 * @example
 * const conversion = defineConversion(LoadTest, {
 *   hub: "v2",
 *   spokes: { v1: { toHub: ({ spec }) => ({ spec: { … } }), fromHub: ({ spec }) => ({ spec: { … } }) } },
 * });
 */
export function defineConversion<
  Out extends KubeObject,
  In,
  Versions extends object,
  const Hub extends keyof Versions & string,
>(resource: Resource<Out, In, Versions>, definition: ConversionDefinition<Versions, Hub>): Conversion;
export function defineConversion(
  resource: Resource,
  definition: {
    readonly hub: string;
    readonly spokes: { readonly [version: string]: Spoke };
    readonly stashBytesMax?: number;
    readonly annotation?: (version: string) => string;
  },
): Conversion {
  const { hub, spokes, stashBytesMax = 200 * 1024 } = definition;
  const annotation = definition.annotation ?? ((version: string): string => `${resource.group}/${version}-stash`);
  const problems = checkVersions(resource, hub, Object.keys(spokes));
  const hubVersion = resource.versions[hub];
  if (problems.length > 0 || hubVersion === undefined) {
    throw new DefinitionError(`the conversion of ${resource.kind}`, problems);
  }

  const convert = makeConverter({ versions: resource.versions, hub: hubVersion, spokes, stashBytesMax, annotation });
  return {
    resource,
    hub,
    convert,
    convertAll: (objects, apiVersion) => objects.map((object) => convert(object, apiVersion)),
  };
}

function checkVersions(resource: Resource, hub: string, spokes: readonly string[]): Problem[] {
  const names = Object.keys(resource.versions);
  return [
    ...(names.includes(hub) ? [] : [invalid("hub", { value: hub }, "must be a version of the resource")]),
    ...names
      .filter((name) => name !== hub && !spokes.includes(name))
      .map((name) => required(`spokes.${name}`, "define toHub and fromHub for this version")),
    ...spokes
      .filter((name) => name === hub || !names.includes(name))
      .map((name) => invalid(`spokes.${name}`, {}, "must be a version of the resource other than the hub")),
  ];
}
