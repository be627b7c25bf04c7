// Random paths and field sets for property tests, from few names so that they overlap.

import fc from "fast-check";
import { FieldSet } from "../apply/field-set.ts";
import {
  fieldElement,
  indexElement,
  keyElement,
  type Path,
  type PathElement,
  valueElement,
} from "../apply/path-element.ts";

const names = fc.constantFrom("a", "b", "__proto__", "constructor", ".", "", "<&>", "\u2028", "é", "\u{1f600}");
const scalars: fc.Arbitrary<unknown> = fc.constantFrom<unknown>("a", "<b>", '"\n\b\f', 1, 2.5, 1e-9, 1e21, true, null);
const elements: fc.Arbitrary<PathElement> = fc.oneof(
  names.map(fieldElement),
  fc
    .dictionary(names, scalars, { minKeys: 1, maxKeys: 2 })
    .map((fields) => keyElement(Object.entries(fields).map(([name, value]) => ({ name, value })))),
  scalars.map(valueElement),
  fc.nat(3).map(indexElement),
);

/** A few paths, some of which may be equal or prefixes of others. */
export const paths: fc.Arbitrary<Path[]> = fc.array(fc.array(elements, { maxLength: 3 }), { maxLength: 8 });

/** Sets of such paths. */
export const fieldSets: fc.Arbitrary<FieldSet> = paths.map((made) => FieldSet.of(made));
