import { type Clock, isEqual, type JsonRecord } from "@homeostat/core";
import { type Applied, broken } from "../apply/applied.ts";
import { FieldManager, type ManagedApply } from "../apply/field-manager.ts";
import { type MergeType, MergeTypes } from "../apply/merge-type.ts";
import { type ResetFields, resetFieldsOf } from "../apply/reset-fields.ts";
import { objectText } from "../apply/object-identity.ts";
import type { ScalePaths } from "../apply/scale-managers.ts";
import { kindSchema } from "../kinds/schemas.ts";
import type { CustomConversion } from "./custom-conversion.ts";
import type { Definition } from "./definition.ts";
import type { VersionSchema } from "./version-schema.ts";

/** Makes what keeps track of who owns the fields of a custom resource, for each version and endpoint once. */
export class CustomManagers {
  /** Where the wished number of replicas stands in each version. */
  readonly scalePaths: ScalePaths;
  readonly #definition: Definition;
  readonly #conversion: CustomConversion;
  readonly #clock: Pick<Clock, "now">;
  readonly #made = new Map<string, FieldManager>();

  constructor(definition: Definition, conversion: CustomConversion, clock: Pick<Clock, "now">) {
    this.#definition = definition;
    this.#conversion = conversion;
    this.#clock = clock;
    this.scalePaths = new Map(
      definition.versions.map(({ name, scale }) => [
        `${definition.group}/${name}`,
        scale?.specReplicasPath.replace(/^\./, "").split("."),
      ]),
    );
  }

  /** Keeps `managedFields` of a version at an endpoint. */
  of(schema: VersionSchema, subresource: string): FieldManager {
    const key = `${schema.version.name}/${subresource}`;
    let manager = this.#made.get(key);
    if (manager === undefined) {
      manager = subresource === "scale" ? scaleManager(this.#clock) : this.#manager(schema, subresource);
      this.#made.set(key, manager);
    }
    return manager;
  }

  #manager(schema: VersionSchema, subresource: string): FieldManager {
    const { group, acceptedNames } = this.#definition;
    const { kind } = acceptedNames;
    return new FieldManager({
      gvk: { group, version: schema.version.name, kind },
      subresource,
      versions: this.#conversion.versions,
      resetFields: this.#resets(schema, subresource),
      empty: { apiVersion: schema.apiVersion, kind },
      // Pruning comes when the object is read again.
      complete: (object) => asRecord(schema.compiled.applyDefaults(object), object),
      clock: this.#clock,
    });
  }

  #resets({ apiVersion, version }: VersionSchema, subresource: string): ResetFields {
    if (subresource === "status") {
      const { group, versions } = this.#definition;
      const all = versions.filter((each) => each.isServed || each.isStored).map(({ name }) => `${group}/${name}`);
      return resetFieldsOf([["metadata"], ["spec"]], all);
    }
    return version.hasStatus ? resetFieldsOf([["status"]], [apiVersion]) : new Map();
  }
}

function asRecord(value: unknown, otherwise: JsonRecord): JsonRecord {
  return isObject(value) ? value : otherwise;
}

function isObject(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The real server tries to convert a scale that was applied as if it were a custom resource, and cannot. */
class ScaleManager extends FieldManager {
  override apply(apply: ManagedApply): Applied {
    const applied = super.apply(apply);
    if (applied.failure !== undefined || isEqual(applied.object, apply.live)) return applied;
    const why = "request to convert CR to an invalid group/version: autoscaling/v1";
    return broken(`failed to convert new object (${objectText(apply.config)}) to proper version: ${why}`);
  }
}

let scaleType: MergeType | undefined;

/** The scale is a kind of its own, whoever's it is. */
function scaleManager(clock: Pick<Clock, "now">): FieldManager {
  scaleType ??= new MergeTypes().ofObjects(kindSchema("autoscaling", "v1", "Scale"));
  const type = scaleType;
  return new ScaleManager({
    gvk: { group: "autoscaling", version: "v1", kind: "Scale" },
    subresource: "scale",
    versions: { typeOf: () => type, convert: () => "unknown version" },
    empty: { apiVersion: "autoscaling/v1", kind: "Scale", metadata: {}, spec: {}, status: { replicas: 0 } },
    clock,
  });
}
