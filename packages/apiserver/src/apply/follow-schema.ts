import { type FieldSet, FieldSetBuilder } from "./field-set.ts";
import type { Path } from "./path-element.ts";
import type { MergeType } from "./merge-type.ts";

/**
 * A set of owned fields made to fit a schema that changed since: who owned parts of what is one value now owns it whole.
 *
 * The other way round nothing is done. Who owned the whole keeps that, and owns no part.
 */
export function followSchema(set: FieldSet, type: MergeType): FieldSet {
  const known = fitting.get(set);
  if (known === type) return set;
  const whole = new FieldSetBuilder();
  visit({ set, type, path: [], isWhole: false, whole });
  const turned = whole.build();
  if (!turned.isEmpty) return set.differenceDeep(turned).union(turned);
  fitting.set(set, type);
  return set;
}

/** The type that a set was last found to fit: the sets of many objects are one. */
const fitting = new WeakMap<FieldSet, MergeType>();

interface Visit {
  readonly set: FieldSet;
  readonly type: MergeType;
  readonly path: Path;
  /** Whether what is visited is owned itself and nothing below it is. */
  readonly isWhole: boolean;
  /** Gathers what is one value now. */
  readonly whole: FieldSetBuilder;
}

function visit(at: Visit): void {
  const { type, set, path, isWhole, whole } = at;
  if (type.map !== undefined) {
    if (type.map.isDeduced) return;
    if (!isWhole && type.map.isAtomic) {
      if (!set.isEmpty) whole.insert(path);
      return;
    }
    visitBelow(at, (name) => type.map?.field(name));
  } else if (type.scalar === undefined && type.list !== undefined) {
    if (!isWhole && !type.list.isAssociative) {
      whole.insert(path);
      return;
    }
    visitBelow(at, () => type.list?.element());
  }
}

function visitBelow({ set, path, whole }: Visit, typeOf: (name: string) => MergeType | undefined): void {
  for (const { element, isMember, below } of set.entries()) {
    const type = typeOf(element.kind === "field" ? element.name : "");
    if (type === undefined) continue;
    visit({ set: below, type, path: [...path, element], isWhole: isMember && below.isEmpty, whole });
  }
}
