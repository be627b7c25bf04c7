// Realizes an order of routes in a system that has a precedence of its own.
//
// Routes of a table are evaluated in order, and the first match is used. A system such as the Gateway API uses the most specific match instead. For
// each route, this file adds the intersections with the matches of later routes that would outrank it: an intersection is at least as specific as
// both, so requests of both routes reach the first one.

/** Matches of a system with a precedence. */
export interface MatchAlgebra<M> {
  /** Returns a match for the requests that meet both, or undefined if there are none. Throws {@link InexpressibleError}. */
  intersect(a: M, b: M): M | undefined;
  /** Compares the precedence of two matches: negative if the first outranks the second. */
  compareRank(a: M, b: M): number;
  isEqual(a: M, b: M): boolean;
}

/** The system has no match for an intersection. */
export class InexpressibleError extends Error {
  override readonly name = "InexpressibleError";
}

/** A route with its matches, which are alternatives. */
export interface OrderedRoute<M, R> {
  readonly route: R;
  readonly matches: readonly M[];
}

/** Maximum number of matches for one key. Each match is a rule of the mesh. */
const matchesMax = 512;

/**
 * Returns the routes with the matches that realize their order. Matches that no request reaches are omitted.
 *
 * Throws {@link InexpressibleError} if an intersection has no match, or if there would be too many.
 */
export function realizeOrder<M, R>(
  routes: readonly OrderedRoute<M, R>[],
  algebra: MatchAlgebra<M>,
): readonly OrderedRoute<M, R>[] {
  let later: OrderedRoute<M, R>[] = [];
  for (const { route, matches } of routes.toReversed()) {
    const own = distinct(matches, algebra);
    // Requests of a later match that lies within one of these never reach the later route.
    later = later.map((other) => ({
      route: other.route,
      matches: other.matches.filter((match) => !own.some((each) => isWithin(match, each, algebra))),
    }));
    const added = own.flatMap((match) =>
      later.flatMap((other) => other.matches.flatMap((each) => intersection(match, each, algebra) ?? [])),
    );
    later.unshift({ route, matches: distinct([...own, ...added], algebra) });
    if (later.reduce((sum, each) => sum + each.matches.length, 0) > matchesMax) {
      throw new InexpressibleError(`more than ${matchesMax} matches are needed`);
    }
  }
  return later.filter(({ matches }) => matches.length > 0);
}

/** Returns the intersection of a match and a later one that outranks it or has the same rank. */
function intersection<M>(match: M, later: M, algebra: MatchAlgebra<M>): M | undefined {
  return algebra.compareRank(match, later) < 0 ? undefined : algebra.intersect(match, later);
}

function isWithin<M>(inner: M, outer: M, algebra: MatchAlgebra<M>): boolean {
  try {
    const common = algebra.intersect(inner, outer);
    return common !== undefined && algebra.isEqual(common, inner);
  } catch (error) {
    if (error instanceof InexpressibleError) return false;
    throw error;
  }
}

function distinct<M>(matches: readonly M[], algebra: MatchAlgebra<M>): readonly M[] {
  return matches.filter((match, i) => matches.findIndex((other) => algebra.isEqual(match, other)) === i);
}
