import type { Field } from "./field.ts";

const standardFinalizers = new Set(["kubernetes", "orphan", "foregroundDeletion"]);

/** Checks that a finalizer is a standard one or qualified by a domain. */
export function checkFinalizerName(name: Field): void {
  if (name.text.includes("/") || standardFinalizers.has(name.text)) return;
  name.invalid("name is neither a standard finalizer name nor is it fully qualified", name.text);
}
