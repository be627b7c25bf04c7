import { type JsonRecord, safeSet } from "@homeostat/core";
import { entriesAt, textAt } from "../../../values/fields.ts";
import { fill, partOf } from "../../defaulting/fill.ts";
import type { CreateContext, KindStrategy } from "../../strategy.ts";
import { checkLimitRange } from "./validation.ts";

/** LimitRanges: the only kind whose objects may be created without a name; the uid becomes the name. */
export const limitRangeStrategy: KindStrategy = {
  group: "",
  plural: "limitranges",
  allowsCreateOnUpdate: true,
  defaults: { "core.v1.LimitRangeItem": { rule: defaultLimitRangeItem } },
  prepareForCreate: nameLimitRange,
  validate: checkLimitRange,
};

function nameLimitRange(object: JsonRecord, { uid }: CreateContext): void {
  fill(partOf(object, "metadata"), { name: uid });
}

function defaultLimitRangeItem(value: JsonRecord): void {
  if (textAt(value, "type") !== "Container") return;
  const copy = (from: string, to: string): void => {
    for (const [name, amount] of entriesAt(value, from)) {
      const target = partOf(value, to);
      if (!Object.hasOwn(target, name)) safeSet(target, name, amount);
    }
  };
  copy("max", "default");
  copy("default", "defaultRequest");
  copy("min", "defaultRequest");
}
