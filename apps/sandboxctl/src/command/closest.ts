/** Returns the candidate closest to a misspelled word; undefined if none is similar. */
export function closest(word: string, candidates: readonly string[]): string | undefined {
  let best: { readonly text: string; readonly distance: number } | undefined;
  for (const text of candidates) {
    const distance = editDistance(word.slice(0, 64), text);
    if (best === undefined || distance < best.distance) best = { text, distance };
  }
  return best !== undefined && best.distance <= Math.max(1, Math.floor(word.length / 3)) ? best.text : undefined;
}

/** Returns the number of letters to insert, remove or replace. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, letter] of Array.from(from).entries()) {
    const next = [index + 1];
    for (const [column, other] of Array.from(to).entries()) {
      const replaced = (row[column] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
