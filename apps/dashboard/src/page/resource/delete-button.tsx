import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import type { ResourceView } from "../../api/types.ts";
import { sendWrite } from "../common/send-write.ts";

/** Deletes an object after the user has entered its name. */
export function DeleteButton({ resource }: { readonly resource: ResourceView }): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const [typed, setTyped] = useState("");
  const [problem, setProblem] = useState("");
  const { ref, uid } = resource;
  const send = async (): Promise<void> => {
    const { group, kind, namespace, name } = ref;
    const refused = await sendWrite("delete", { group, kind, namespace, name, uid });
    setProblem(refused ?? "");
    if (refused === undefined) dialog.current?.close();
  };
  return (
    <>
      <button type="button" onClick={() => dialog.current?.showModal()}>
        Delete
      </button>
      <dialog ref={dialog} aria-labelledby="delete-title">
        <h2 id="delete-title">
          Delete {ref.kind} {ref.name}
        </h2>
        <p>The API server also deletes the objects that it owns. Enter the name to confirm.</p>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void send();
          }}
        >
          <label>
            Name
            <input type="text" value={typed} onInput={({ currentTarget }) => setTyped(currentTarget.value)} />
          </label>
          <p role="alert">{problem}</p>
          <button type="submit" class="danger" disabled={typed !== ref.name}>
            Delete
          </button>
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
        </form>
      </dialog>
    </>
  );
}
