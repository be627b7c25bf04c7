/** A piece of HTML that is safe to send. Only {@link html} and {@link joined} create it. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * Builds HTML from a template. Values that are not {@link Html} themselves are escaped, so that no text of an object can become markup. They must
 * stand between tags or in quoted attributes.
 */
export function html(parts: TemplateStringsArray, ...values: readonly (Html | string | number | undefined)[]): Html {
  const filled = values.map((value) => (value instanceof Html ? value.text : escapeHtml(String(value ?? ""))));
  return new Html(parts.map((part, index) => part + (filled[index] ?? "")).join(""));
}

/** Joins pieces of HTML. */
export function joined(pieces: readonly Html[]): Html {
  return new Html(pieces.map(({ text }) => text).join(""));
}

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => escapes[character] ?? "");
}
