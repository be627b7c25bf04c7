import { ArgumentError, type FieldSelector, type LabelSelector } from "@homeostat/core";

/** Selectors that restrict a request on a collection. */
export interface SelectorOptions {
  /** Selects by labels: `app=web,tier!=test`, or a parsed selector. */
  readonly labelSelector?: string | LabelSelector | undefined;
  /** Selects by the fields that the server supports for the kind: `metadata.name=web`, `status.phase=Running`. */
  readonly fieldSelector?: string | FieldSelector | undefined;
}

/** Returns the selectors as query parameters. Empty ones are omitted. */
export function selectorQuery({ labelSelector, fieldSelector }: SelectorOptions): {
  readonly labelSelector: string | undefined;
  readonly fieldSelector: string | undefined;
} {
  return {
    labelSelector: textOf("labelSelector", labelSelector),
    fieldSelector: textOf("fieldSelector", fieldSelector),
  };
}

function textOf(argument: string, selector: string | LabelSelector | FieldSelector | undefined): string | undefined {
  if (typeof selector === "object" && selector.isNothing) {
    // Its text is empty, which the server would read as "everything".
    throw new ArgumentError({
      argument,
      problem: "matches nothing and cannot be sent to the server; skip the request.",
    });
  }
  const text = selector?.toString() ?? "";
  return text === "" ? undefined : text;
}
