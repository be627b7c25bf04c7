import type { Overview } from "../api/types.ts";
import { objectPath } from "../present/routes.ts";
import { countStates, selectRows, stateOrder } from "../present/sort-rows.ts";
import { html, type Html, joined } from "./html.ts";
import { age, link, stateMark, table, text } from "./parts.ts";

/** Largest number of rows: a page without scripts has no list that grows while it is scrolled. */
const rowsMax = 1_000;

/** Returns all resources, problems first, and the kinds that cannot be shown. */
export function plainOverview({ kinds, rows }: Overview, nowMs: number): Html {
  const sorted = selectRows(rows, { text: "", state: "", kind: "" });
  const counts = countStates(rows);
  const hidden = kinds.flatMap(({ kind, problem }) =>
    problem === undefined ? [] : [html`<p class="note unknown">${kind}: ${problem}</p>`],
  );
  const omitted = sorted.length - rowsMax;
  return joined([
    html`<p>${stateOrder.map((state) => `${counts[state]} ${state}`).join(", ")}</p>`,
    ...hidden,
    table({
      label: "Resources",
      columns: ["Kind", "Namespace", "Name", "State", "Message", "Age"],
      rows: sorted
        .slice(0, rowsMax)
        .map((row) => [
          text(row.kind),
          text(row.namespace),
          link(objectPath("resource", row), row.name),
          stateMark(row),
          text(row.message),
          age(row.createdAt, nowMs),
        ]),
      none: "There are no custom resources of operators.",
    }),
    ...(omitted > 0 ? [html`<p class="note unknown">${omitted} more resources are not shown.</p>`] : []),
  ]);
}
