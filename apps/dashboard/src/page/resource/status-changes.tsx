import type { JSX } from "preact";
import { formatDuration } from "../../present/format.ts";
import type { StatusChange } from "./resource-page.tsx";

/** Changes of the status since the page was opened, the newest first. */
export function StatusChanges({
  changes,
  now,
}: {
  readonly changes: readonly StatusChange[];
  readonly now: number;
}): JSX.Element {
  if (changes.length === 0) return <p class="empty">The status has not changed since this page was opened.</p>;
  return (
    <ol class="changes">
      {changes.map(({ at, resourceVersion, changes: fields }) => (
        <li key={resourceVersion}>
          <p>
            {formatDuration(now - at)} ago, resource version {resourceVersion}
          </p>
          <ul>
            {fields.map(({ path, before, after }) => (
              <li key={path}>
                <code>{path}</code>
                {before === undefined ? undefined : <del>{before}</del>}
                {after === undefined ? undefined : <ins>{after}</ins>}
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ol>
  );
}
