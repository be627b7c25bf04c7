/**
 * Who runs when: everybody once per round, and each round begins with another, so that a slow hour of the machine and the
 * place in the line are shared.
 *
 * Every other round goes backwards, so that nobody always follows the same one.
 */
export function orderOfRounds(contestants: readonly string[], rounds: number): readonly (readonly string[])[] {
  return Array.from({ length: rounds }, (_, round) => {
    const first = round % Math.max(1, contestants.length);
    const turned = [...contestants.slice(first), ...contestants.slice(0, first)];
    return round % 2 === 0 ? turned : [turned[0], ...turned.slice(1).reverse()].filter((name) => name !== undefined);
  });
}
