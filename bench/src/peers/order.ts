/**
 * Returns the order of runs: every runtime once per round. Each round starts with a different one, so that slow periods of the
 * machine and the position in the round affect all.
 *
 * Every second round is reversed, so that no runtime always follows the same one.
 */
export function orderOfRounds(runtimes: readonly string[], rounds: number): readonly (readonly string[])[] {
  return Array.from({ length: rounds }, (_, round) => {
    const first = round % Math.max(1, runtimes.length);
    const turned = [...runtimes.slice(first), ...runtimes.slice(0, first)];
    return round % 2 === 0 ? turned : [turned[0], ...turned.slice(1).reverse()].filter((name) => name !== undefined);
  });
}
