import type { KubeObject } from "@homeostat/core";
import { invalid, type Problem, required } from "../problem/problem.ts";
import { DefinitionError } from "../resource/definition-error.ts";
import type { Resource, ResourceVersion } from "../resource/resource.ts";
import { makeConverter, type Spoke } from "./convert.ts";

/** An object without what all objects have: its `spec`, its `status`. */
export type BodyOf<T> = { [K in keyof T as Exclude<K, keyof KubeObject>]: T[K] };

/**
 * How one version is converted to the hub and back.
 *
 * The functions copy what matches and compute the rest. Each gets a copy of its own, with all defaults filled in.
 */
export interface SpokeDefinition<SpokeOut, SpokeIn, HubOut, HubIn> {
  /** The hub's form of a spoke object. */
  toHub(object: BodyOf<SpokeOut>): BodyOf<HubIn>;
  /** The spoke's form of a hub object, as far as it goes. What it cannot hold is stashed. */
  fromHub(object: BodyOf<HubOut>): BodyOf<SpokeIn>;
  /**
   * Stash also what the hub cannot hold of the spoke. Off by default: a hub should be able to hold everything, and
   * this stash would be stored with the object for everybody to see.
   */
  readonly keepSpoke?: boolean;
}

/** Spokes for all versions but the hub. */
export type SpokeDefinitions<Versions, Hub extends keyof Versions> = {
  readonly [N in Exclude<keyof Versions, Hub>]: SpokeBetween<Versions[N], Versions[Hub]>;
};

type SpokeBetween<S, H> =
  S extends ResourceVersion<infer SpokeOut, infer SpokeIn>
    ? H extends ResourceVersion<infer HubOut, infer HubIn>
      ? SpokeDefinition<SpokeOut, SpokeIn, HubOut, HubIn>
      : never
    : never;

/** How the versions of a resource are converted into each other. */
export interface ConversionDefinition<Versions, Hub extends keyof Versions & string> {
  /** The version all others are converted through: usually the newest, which can hold most, and the stored one. */
  readonly hub: Hub;
  readonly spokes: SpokeDefinitions<Versions, Hub>;
  /** The largest stash in bytes; 200 KiB unless said otherwise. All annotations together may have 256 KiB. */
  readonly stashBytesMax?: number;
  /** The annotation that keeps what `version` holds and another cannot; `<group>/<version>-stash` unless said otherwise. */
  readonly annotation?: (version: string) => string;
}

/** An object in another version. */
export interface Converted {
  readonly object: KubeObject;
  /** What a log should say: a stash that was ignored, a stashed value that gave way to a change. Often empty. */
  readonly warnings: readonly string[];
}

/** Converts objects between the versions of a resource. */
export interface Conversion {
  readonly resource: Resource;
  /** The name of the hub version. */
  readonly hub: string;
  /**
   * The object in another version, given as `group/version`. The argument is left as it is.
   *
   * Metadata is kept; only annotations with a stash come and go. Throws a `ConversionError`, and nothing else.
   */
  convert(object: unknown, apiVersion: string): Converted;
  /** All objects in another version, in their order; the first that cannot be converted throws. */
  convertAll(objects: readonly unknown[], apiVersion: string): Converted[];
}

/**
 * Defines how the versions of a resource become each other: every version gets a pair of functions to and from the hub.
 *
 * Nothing is lost on the way. What the hub holds and a spoke cannot is kept in an annotation of the spoke object, as
 * the difference to what the spoke's own fields lead back to. When the object returns, each kept value is put
 * back, unless that field was changed through the spoke in the meantime: then the change wins.
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
    throw new DefinitionError(`The conversion of ${resource.kind}`, problems);
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
    ...(names.includes(hub) ? [] : [invalid("hub", { value: hub }, "is not a version of the resource")]),
    ...names
      .filter((name) => name !== hub && !spokes.includes(name))
      .map((name) => required(`spokes.${name}`, "every version but the hub needs its functions")),
    ...spokes
      .filter((name) => name === hub || !names.includes(name))
      .map((name) => invalid(`spokes.${name}`, {}, "is not a version of the resource beside the hub")),
  ];
}
