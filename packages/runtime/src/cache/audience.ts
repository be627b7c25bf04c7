/** Who knows of a change already: the writers in `knowers`, or everybody but `only`. Undefined where nobody does. */
export interface Audience {
  readonly knowers?: readonly string[];
  /** The one writer that the change is told to. */
  readonly only?: string;
}

/** Whether a writer knows. */
export function isKnownTo(audience: Audience | undefined, writer: string): boolean {
  if (audience === undefined) return false;
  return audience.only === undefined ? (audience.knowers ?? []).includes(writer) : audience.only !== writer;
}

/** Who knows of both of two changes. Where that cannot be said, nobody: to be told twice does no harm. */
export function both(a: Audience | undefined, b: Audience | undefined): Audience | undefined {
  if (a === undefined || b === undefined) return undefined;
  if (a.only !== undefined && b.only !== undefined) return a.only === b.only ? a : undefined;
  const named = a.only === undefined ? a : b;
  const other = named === a ? b : a;
  const knowers = (named.knowers ?? []).filter((writer) => isKnownTo(other, writer));
  return knowers.length === 0 ? undefined : { knowers };
}
