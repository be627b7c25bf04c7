// Defaults and messages for the update strategies of the kinds in `apps`.

import type { JsonRecord } from "@homeostat/core";
import { textAt } from "../../values/fields.ts";
import type { DefaultRule, DefaultValues } from "../defaulting/defaults.ts";
import type { Field } from "../../validation/field.ts";
import { fill, partOf } from "../defaulting/fill.ts";

/** Returns a strategy as Go prints the internal type: every field, under its Go name. */
export function printedStrategy(strategy: Field, fields: Readonly<Record<string, null | number>>): unknown {
  const rolling = strategy.at("rollingUpdate");
  const shown = Object.entries(fields).map(([name, none]) => {
    return [name.charAt(0).toUpperCase() + name.slice(1), rolling.at(name).value ?? none];
  });
  return { Type: strategy.at("type").text, RollingUpdate: rolling.isSet ? Object.fromEntries(shown) : null };
}

/** Returns the default rule of a strategy that is `RollingUpdate` unless set otherwise. */
export function defaultRollingUpdate(defaults: JsonRecord): DefaultRule {
  return (value) => {
    fill(value, { type: "RollingUpdate" });
    if (textAt(value, "type") === "RollingUpdate") fill(partOf(value, "rollingUpdate"), defaults);
  };
}

/** Default number of old revisions to keep. */
export const defaultHistory: DefaultValues = { revisionHistoryLimit: 10 };
