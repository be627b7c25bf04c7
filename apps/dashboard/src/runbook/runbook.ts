/** An explanation of a condition: one row of a runbook. */
export interface RunbookEntry {
  /** Kind of the objects with the condition. */
  readonly kind: string;
  readonly type: string;
  readonly reason: string;
  readonly meaning: string;
  /** Action of the user; empty if none is needed. */
  readonly action: string;
}

/** Explains conditions. */
export interface Runbook {
  explain(condition: Pick<RunbookEntry, "kind" | "type" | "reason">): RunbookEntry | undefined;
}

/** Creates a runbook from its entries. */
export function createRunbook(entries: readonly RunbookEntry[]): Runbook {
  const idOf = ({ kind, type, reason }: Pick<RunbookEntry, "kind" | "type" | "reason">): string =>
    `${kind} ${type} ${reason}`;
  const byId = new Map(entries.map((entry) => [idOf(entry), entry]));
  return { explain: (condition) => byId.get(idOf(condition)) };
}

/**
 * Returns the conditions that a runbook page explains: the tables with the headings `condition`, `status and reason` and `meaning`.
 *
 * An empty cell of the first column repeats the one above. A section `Conditions of a KIND` is about that kind, others about `kind`.
 */
export function parseRunbook(page: string, kind: string): RunbookEntry[] {
  const entries: RunbookEntry[] = [];
  let sectionKind = kind;
  let isTable = false;
  let types: readonly string[] = [];
  for (const line of page.split("\n")) {
    const heading = /^#+ (.*)$/.exec(line)?.[1];
    if (heading !== undefined) sectionKind = /^Conditions of an? (\w+)$/.exec(heading)?.[1] ?? kind;
    if (!line.startsWith("|")) {
      isTable = false;
      continue;
    }
    const [first = "", second = "", meaning = "", action = ""] = cellsOf(line);
    if (first === "condition" && second === "status and reason") isTable = true;
    else if (isTable && !/^-+$/.test(first)) {
      if (first !== "") types = quotedWords(first);
      // A row without a meaning only completes the list of reasons.
      for (const type of meaning === "" ? [] : types)
        for (const reason of quotedWords(second))
          entries.push({ kind: sectionKind, type, reason, meaning: plain(meaning), action: plain(action) });
    }
  }
  return entries;
}

/** Returns the cells of a row of a Markdown table. */
function cellsOf(line: string): string[] {
  return line
    .replace(/^\||\|\s*$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());
}

function quotedWords(cell: string): string[] {
  return Array.from(cell.matchAll(/`(\w+)`/g), ([, word = ""]) => word);
}

/** Returns the text of a cell without links and escapes. */
function plain(cell: string): string {
  return cell.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll("\\|", "|");
}
