import type { Problem } from "@homeostat/schema";
import { encodeJson } from "../codec/encode-json.ts";
import type { Field } from "../validation/field.ts";

/** Adds an `Invalid` problem whose value is shown as JSON, or as `printed`. */
export function invalidJson(field: Field, detail: string, value: unknown, printed: string = encodeJson(value)): void {
  const problem: Problem = {
    path: field.path,
    type: "Invalid",
    detail,
    value,
    message: `Invalid value: ${printed}: ${detail}`,
  };
  field.problems.push(problem);
}

/** Adds one `Invalid` problem with all details in one line. */
export function invalidJoined(field: Field, details: readonly string[], prefix = ""): void {
  if (details.length > 0) field.invalid(prefix + details.join(","), field.text);
}
