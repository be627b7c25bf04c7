/** A fenced code block of a Markdown page. */
export interface CodeBlock {
  readonly language: string;
  readonly text: string;
  /** File, and optionally region, that the block was cut from: `examples/core.ts` or `examples/core.ts#patches`. */
  readonly source: string | undefined;
  readonly line: number;
}

/** Returns the fenced code blocks of a page, with the file named in the `<!-- from: … -->` comment above each. */
export function codeBlocks(page: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let source: string | undefined;
  let open: { language: string; lines: string[]; line: number } | undefined;
  for (const [index, line] of page.split("\n").entries()) {
    if (open !== undefined) {
      if (line.startsWith("```")) {
        blocks.push({ language: open.language, text: open.lines.join("\n"), source, line: open.line });
        open = undefined;
        source = undefined;
      } else open.lines.push(line);
    } else if (line.startsWith("```")) {
      open = { language: line.slice(3).trim(), lines: [], line: index + 1 };
    } else if (line.trim() !== "") {
      source = /^<!-- from: (\S+) -->$/.exec(line.trim())?.[1];
    }
  }
  return blocks;
}

/** Returns the region of a file: the lines between `// region: name` and `// endregion` (in YAML `#`), or the whole file if `region` is undefined. */
export function regionOf(text: string, region: string | undefined): string | undefined {
  if (region === undefined) return text.trimEnd();
  const lines = text.split("\n");
  const start = lines.findIndex((line) => [`// region: ${region}`, `# region: ${region}`].includes(line.trim()));
  if (start < 0) return undefined;
  const length = lines.slice(start).findIndex((line) => ["// endregion", "# endregion"].includes(line.trim()));
  return length < 0
    ? undefined
    : lines
        .slice(start + 1, start + length)
        .join("\n")
        .trim();
}
