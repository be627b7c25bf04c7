import { dns1035LabelProblems } from "@homeostat/core";
import type { Field } from "../validation/field.ts";
import { invalidJoined } from "./problems.ts";

const mixedCase = "may have mixed case, but should otherwise match: ";

/** Validates the format of names, in the spec and in the accepted names. */
export function checkNames(names: Field): void {
  for (const name of [names.at("plural"), names.at("singular")]) {
    if (name.text !== "") invalidJoined(name, dns1035LabelProblems(name.text));
  }
  for (const name of [names.at("kind"), names.at("listKind")]) {
    if (name.text !== "") invalidJoined(name, dns1035LabelProblems(name.text.toLowerCase()), mixedCase);
  }
  for (const name of names.at("shortNames").items()) invalidJoined(name, dns1035LabelProblems(name.text));
  const kind = names.at("kind").text;
  if (kind !== "" && kind === names.at("listKind").text) {
    names.at("listKind").invalid("kind and listKind may not be the same");
  }
  for (const name of names.at("categories").items()) invalidJoined(name, dns1035LabelProblems(name.text));
}

/** Reports missing names. */
export function checkRequiredNames(names: Field): void {
  for (const name of ["plural", "singular", "kind", "listKind"])
    if (names.at(name).text === "") names.at(name).required();
}
