import { type Clock, isEqual, type JsonRecord } from "@homeostat/core";
import { type Applied, internalFailure } from "../apply/applied.ts";
import { FieldManager, type ManagedApply } from "../apply/field-manager.ts";
import { type MergeType, MergeTypes } from "../apply/merge-type.ts";
import { type ResetFields, resetFieldsOf } from "../apply/reset-fields.ts";
import { objectText } from "../apply/object-identity.ts";
import type { ScalePaths } from "../apply/scale-managers.ts";
import { kindSchema } from "../resources/schemas.ts";
import type { CustomConversion } from "./custom-conversion.ts";
import type { Definition } from "./definition.ts";
import type { VersionSchema } from "./version-schema.ts";

/** Creates the field managers of a custom resource, one per version and endpoint. */
export class CustomManagers {
  /** Path of the desired replica count in each version. */
  readonly scalePaths: ScalePaths;
  readonly #definition: Definition;
  readonly #conversion: CustomConversion;
  readonly #clock: Pick<Clock, "now">;
  readonly #managers = new Map<string, FieldManager>();

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

  /** Returns the field manager of a version at an endpoint. */
  of(schema: VersionSchema, subresource: string): FieldManager {
    const key = `${schema.version.name}/${subresource}`;
    let manager = this.#managers.get(key);
    if (manager === undefined) {
      manager = subresource === "scale" ? scaleManager(this.#clock) : this.#createManager(schema, subresource);
      this.#managers.set(key, manager);
    }
    return manager;
  }

  #createManager(schema: VersionSchema, subresource: string): FieldManager {
    const { group, acceptedNames } = this.#definition;
    const { kind } = acceptedNames;
    return new FieldManager({
      gvk: { group, version: schema.version.name, kind },
      subresource,
      versions: this.#conversion.versions,
      resetFields: this.#resetFieldsOf(schema, subresource),
      empty: { apiVersion: schema.apiVersion, kind },
      // Pruning happens when the object is read.
      complete: (object) => asRecord(schema.compiled.applyDefaults(object), object),
      clock: this.#clock,
    });
  }

  #resetFieldsOf({ apiVersion, version }: VersionSchema, subresource: string): ResetFields {
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

/**
 * Fails every apply that changes a scale: the real server tries to convert the scale as if it were a custom resource,
 * and fails.
 */
class ScaleManager extends FieldManager {
  override apply(apply: ManagedApply): Applied {
    const applied = super.apply(apply);
    if (applied.failure !== undefined || isEqual(applied.object, apply.live)) return applied;
    const why = "request to convert CR to an invalid group/version: autoscaling/v1";
    return internalFailure(`failed to convert new object (${objectText(apply.config)}) to proper version: ${why}`);
  }
}

let scaleType: MergeType | undefined;

/** Returns the field manager of the scale, which is the same kind for all resources. */
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
