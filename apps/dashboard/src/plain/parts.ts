// Parts that the pages without scripts have in common. They have the classes of the page's style sheet.

import { formatAge } from "../present/format.ts";
import { textIn } from "../health/fields.ts";
import { html, type Html, joined } from "./html.ts";

/** Returns a whole page. */
export function page({ title, body }: { readonly title: string; readonly body: Html }): string {
  const { text } = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} - Homeostat</title>
        <link rel="icon" href="/icon.svg" />
        <link rel="stylesheet" href="/page.css" />
      </head>
      <body>
        <header>
          <nav aria-label="Pages"><a href="/?plain">Resources</a> <a href="/operators?plain">Operators</a></nav>
        </header>
        <main id="main">
          <h1>${title}</h1>
          ${body}
          <p>
            <small
              >This page does not change by itself, because scripts are disabled in your browser. Load it again to see
              the present state.</small
            >
          </p>
        </main>
      </body>
    </html> `;
  return text;
}

/** Returns a section with a heading. */
export function section(title: string, content: Html): Html {
  return html`<section>
    <h2>${title}</h2>
    ${content}
  </section>`;
}

/** Returns a table, or a sentence if it has no rows. */
export function table({
  label,
  columns,
  rows,
  none,
}: {
  readonly label: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Html[])[];
  /** Sentence for a table without rows. */
  readonly none: string;
}): Html {
  if (rows.length === 0) return html`<p class="empty">${none}</p>`;
  const head = joined(columns.map((column) => html`<th scope="col">${column}</th>`));
  const lines = rows.map(
    (cells) =>
      html`<tr>
        ${joined(cells.map((cell) => html`<td>${cell}</td>`))}
      </tr> `,
  );
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}">
    <table>
      <thead>
        <tr>
          ${head}
        </tr>
      </thead>
      <tbody>
        ${joined(lines)}
      </tbody>
    </table>
  </div>`;
}

/** Returns a text as HTML. */
export function text(value: string | number | undefined): Html {
  return html`${value}`;
}

/** Returns the state of an object: its color and its word. */
export function stateMark(health: unknown): Html {
  return html`<span class="state ${textIn(health, "state")}"
    ><span class="dot" aria-hidden="true"></span>${textIn(health, "word")}</span
  >`;
}

/** Returns the age of a time. */
export function age(time: string, nowMs: number): Html {
  return html`<time datetime="${time}" title="${time}">${formatAge(time, nowMs)}</time>`;
}

/** Returns a link to another page without scripts. */
export function link(path: string, label: string): Html {
  return html`<a href="${path}?plain">${label}</a>`;
}
