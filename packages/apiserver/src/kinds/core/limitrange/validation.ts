import { parseQuantity, type Quantity } from "@homeostat/core";
import { type Field, quantityOf } from "../../../validation/field.ts";

const types = new Set(["Container", "Pod", "PersistentVolumeClaim"]);

/** Validates a LimitRange except for its metadata; see `ValidateLimitRange` in Kubernetes. */
export function checkLimitRange(object: Field): void {
  const seen = new Set<string>();
  for (const limit of object.at("spec").at("limits").items()) {
    const type = limit.at("type");
    const before = type.problems.length;
    type.qualifiedName();
    if (type.problems.length === before && !types.has(type.text) && !type.text.includes("/")) {
      type.invalid("must be a standard limit type or fully qualified", type.text);
    }
    if (seen.has(type.text)) type.duplicate(type.text);
    seen.add(type.text);
    checkLimit(limit, type.text);
  }
}

const fields = ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"] as const;

function checkLimit(limit: Field, type: string): void {
  if (type === "Pod") {
    for (const name of ["default", "defaultRequest"]) {
      if (limit.at(name).length > 0) limit.at(name).forbidden("may not be specified when `type` is 'Pod'");
    }
  }
  if (
    type === "PersistentVolumeClaim" &&
    !limit.at("min").at("storage").isSet &&
    !limit.at("max").at("storage").isSet
  ) {
    limit.at("limits").required("either minimum or maximum storage value is required, but neither was provided");
  }
  const names = new Set(
    fields.flatMap((field) =>
      limit
        .at(field)
        .entries()
        .map(([name]) => name),
    ),
  );
  for (const name of [...names].toSorted()) checkAmounts(limit, name, type === "Pod");
}

function checkAmounts(limit: Field, name: string, isPod: boolean): void {
  const amount = (field: string): Quantity | undefined => {
    return quantityOf(limit.at(field).at(name).value);
  };
  const fieldOf = (field: string): Field => limit.at(field).as(`${limit.path}.${field}[${name}]`);
  const [min, max, ratio] = [amount("min"), amount("max"), amount("maxLimitRequestRatio")];
  const standard = isPod ? undefined : amount("default");
  const request = isPod ? undefined : amount("defaultRequest");
  const compare = (
    a: Quantity | undefined,
    b: Quantity | undefined,
    field: string,
    shown: Quantity | undefined,
    text: string,
  ): void => {
    if (a === undefined || b === undefined || shown === undefined || !a.isGreaterThan(b)) return;
    const [one, two] = text.split("|");
    fieldOf(field).invalid(`${one} ${a.toString()} is greater than ${two} ${b.toString()}`, shown.toString());
  };
  compare(min, max, "min", min, "min value|max value");
  compare(min, request, "defaultRequest", request, "min value|default request value");
  compare(request, max, "defaultRequest", request, "default request value|max value");
  compare(request, standard, "defaultRequest", request, "default request value|default limit value");
  compare(min, standard, "default", min, "min value|default value");
  compare(standard, max, "default", max, "default value|max value");
  if (ratio === undefined) return;
  if (ratio.isLessThan(parseQuantity("1"))) {
    fieldOf("maxLimitRequestRatio").invalid(`ratio ${ratio.toString()} is less than 1`, ratio.toString());
  }
  if (min === undefined || max === undefined) return;
  const most = max.asApproximateNumber() / min.asApproximateNumber();
  if (ratio.asApproximateNumber() > most) {
    const text = `ratio ${ratio.toString()} is greater than max/min = ${most.toFixed(6)}`;
    fieldOf("maxLimitRequestRatio").invalid(text, ratio.toString());
  }
}
