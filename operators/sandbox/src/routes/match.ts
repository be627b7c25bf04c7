// Match trees of route groups, evaluated over the labels of sandboxes.

import { InvalidSelectorError, labelSelectorFrom, type LabelSelectorObject, type Labels } from "@homeostat/core";
import { compileGlob } from "../api/glob.ts";

/** A match tree: exactly one of the fields is set. */
export interface MatchNode {
  readonly label?: { readonly key: string; readonly value: string } | undefined;
  readonly selector?: LabelSelectorObject | undefined;
  readonly any?: readonly MatchNode[] | undefined;
  readonly all?: readonly MatchNode[] | undefined;
}

/** A test of labels. */
export type LabelTest = (labels: Labels) => boolean;

const nothing: LabelTest = () => false;

/**
 * Returns the labels that match trees are evaluated on: those of the metadata and those of the spec, which take precedence.
 *
 * Labels of the spec are validated and copied to all objects of the sandbox; labels of the metadata may come from tools.
 */
export function effectiveLabels(metadataLabels: Labels, specLabels: Labels): Labels {
  return { ...metadataLabels, ...specLabels };
}

/**
 * Returns a test for a match tree. An absent tree matches nothing.
 *
 * Invalid nodes match nothing: a node with no field or with several, an invalid glob or selector, an empty `all`. Validation reports them; an object
 * that was stored without validation must not match more than its author intended.
 */
export function compileMatch(node: MatchNode | undefined): LabelTest {
  if (node === undefined) return nothing;
  const { label, selector, any, all } = node;
  if ([label, selector, any, all].filter((part) => part !== undefined).length !== 1) return nothing;
  if (label !== undefined) return labelTest(label);
  if (selector !== undefined) return selectorTest(selector);
  if (any !== undefined) {
    const tests = any.map(compileMatch);
    return (labels) => tests.some((test) => test(labels));
  }
  const tests = (all ?? []).map(compileMatch);
  return tests.length === 0 ? nothing : (labels) => tests.every((test) => test(labels));
}

/** Returns a test for a label selector. An absent selector matches everything, an invalid one nothing. */
export function compileServiceSelector(selector: LabelSelectorObject | undefined): LabelTest {
  return selector === undefined ? () => true : selectorTest(selector);
}

function labelTest({ key, value }: { readonly key: string; readonly value: string }): LabelTest {
  const glob = compileGlob(value);
  if ("problem" in glob) return nothing;
  return (labels) => {
    const actual = Object.hasOwn(labels, key) ? labels[key] : undefined;
    return actual !== undefined && glob.matches(actual);
  };
}

function selectorTest(object: LabelSelectorObject): LabelTest {
  try {
    const selector = labelSelectorFrom(object);
    return (labels) => selector.matches(labels);
  } catch (error) {
    if (error instanceof InvalidSelectorError) return nothing;
    throw error;
  }
}
