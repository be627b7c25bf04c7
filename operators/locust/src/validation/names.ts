import { labelValueProblems } from "@homeostat/core";
import { sanitised } from "../api/names.ts";
import { nameOf, type Test } from "../build/objects.ts";
import { quoted, type TestProblem } from "./problem.ts";

/** What a name can have at most: `-master` is added to it, and the names of Jobs end at 63 characters. */
const nameLengthMax = 56;

/** What is wrong with the name of a test. */
export function* nameProblems(test: Test): Iterable<TestProblem> {
  const name = nameOf(test);
  const path = "metadata.name";
  if (name.length > nameLengthMax) {
    const message = `name ${quoted(name)} is too long: generated Job names would exceed 63 characters (max CR name length is ${nameLengthMax})`;
    yield { rule: "N1", path, message };
  }
  if (!/^[a-z]/.test(sanitised(name))) {
    yield { rule: "N2", path, message: `name ${quoted(name)} must start with a letter: it is used for a Service` };
  }
  if (labelValueProblems(name).length > 0) {
    yield { rule: "N3", path, message: `name ${quoted(name)} cannot be used as a label value` };
  }
}
