import { type FieldSet, FieldSetBuilder } from "./field-set.ts";
import type { Path } from "./path-element.ts";
import type { MergeType } from "./merge-type.ts";

/**
 * Adapts a set of owned fields to a schema that changed after the set was recorded: a manager that owned parts of a
 * value that is atomic now owns the whole value. Without this, its old paths would match nothing and the ownership
 * would be lost.
 *
 * The opposite change needs nothing: a manager that owned an atomic value keeps the path of that value and owns none of
 * its parts. Same rules as `ReconcileFieldSetWithSchema` of structured-merge-diff.
 */
export function adaptToSchema(set: FieldSet, type: MergeType): FieldSet {
  const matching = matchingTypes.get(set);
  if (matching === type) return set;
  const whole = new FieldSetBuilder();
  visit({ set, type, path: [], isWhole: false, whole });
  const turned = whole.build();
  if (!turned.isEmpty) return set.differenceDeep(turned).union(turned);
  matchingTypes.set(set, type);
  return set;
}

/** The type that each set is known to match. Many objects share one set, so this saves most walks. */
const matchingTypes = new WeakMap<FieldSet, MergeType>();

interface Visit {
  readonly set: FieldSet;
  readonly type: MergeType;
  readonly path: Path;
  /** True if the visited path itself is owned and nothing below it is. */
  readonly isWhole: boolean;
  /** Collects the paths of values that are atomic now. */
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
