import { ArgumentError, type FieldSelector, type LabelSelector } from "@homeostat/core";

/** Which objects of a collection are meant. */
export interface SelectorOptions {
  /** By their labels: `app=web,tier!=test`, or a parsed selector. */
  readonly labelSelector?: string | LabelSelector | undefined;
  /** By the few fields that the server allows: `metadata.name=web`, `status.phase=Running`. */
  readonly fieldSelector?: string | FieldSelector | undefined;
}

/** The selectors as parameters of a URL; an empty one is left out. */
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
    // Its text is empty, and for a server the empty text means everything.
    throw new ArgumentError({ argument, problem: "chooses nothing, which a server cannot be asked for. Do not ask." });
  }
  const text = selector?.toString() ?? "";
  return text === "" ? undefined : text;
}
