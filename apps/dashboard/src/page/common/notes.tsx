import type { JSX } from "preact";

/** Reasons for objects that the user cannot see. */
export function Notes({ notes }: { readonly notes: readonly string[] }): JSX.Element {
  return (
    <>
      {notes.map((note) => (
        <p class="note unknown" key={note}>
          {note}
        </p>
      ))}
    </>
  );
}
