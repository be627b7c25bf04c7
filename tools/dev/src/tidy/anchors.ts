/** A link of a Markdown page to a file of the repository or to a heading. */
export interface PageLink {
  /** Path as it is written, relative to the page. Empty for a link within the page. */
  readonly path: string;
  /** Text after `#`, without it. Empty for a link to a whole file. */
  readonly anchor: string;
}

/** Returns the relative links of a page, without those in code. */
export function linksOf(page: string): PageLink[] {
  return [
    ...withoutFences(page)
      .replaceAll(/`[^`\n]*`/g, "")
      .matchAll(/\]\(([^)\s]+)\)/g),
  ]
    .map((match) => match[1] ?? "")
    .filter((link) => !/^[a-z]+:/.test(link))
    .map((link) => {
      const [path = "", anchor = ""] = link.split("#");
      return { path, anchor };
    });
}

/** Returns the anchors that GitHub gives to the headings of a page. The second of two equal headings gets `-1` at its end. */
export function anchorsOf(page: string): Set<string> {
  const anchors = new Set<string>();
  const counts = new Map<string, number>();
  for (const [, heading = ""] of withoutFences(page).matchAll(/^#{1,6} (.*)$/gm)) {
    const anchor = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_\- ]/gu, "")
      .trim()
      .replaceAll(" ", "-");
    const count = counts.get(anchor) ?? 0;
    counts.set(anchor, count + 1);
    anchors.add(count === 0 ? anchor : `${anchor}-${count}`);
  }
  return anchors;
}

/** Removes fenced code blocks, whose lines can start with `#`. */
function withoutFences(page: string): string {
  return page.replaceAll(/^ *```[\s\S]*?^ *```/gm, "");
}
