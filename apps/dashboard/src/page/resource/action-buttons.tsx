import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import type { ActionView, ResourceView } from "../../api/types.ts";
import { sendWrite } from "../common/send-write.ts";

/** Buttons for the changes that the object offers. */
export function ActionButtons({ resource }: { readonly resource: ResourceView }): JSX.Element {
  return (
    <>
      {resource.actions.map((action) => (
        <ActionButton key={action.name} action={action} resource={resource} />
      ))}
    </>
  );
}

/** Sends an action after the user has read its consequences and entered its values. */
function ActionButton({
  action,
  resource,
}: {
  readonly action: ActionView;
  readonly resource: ResourceView;
}): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const [inputs, setInputs] = useState<Readonly<Record<string, string>>>({});
  const [problem, setProblem] = useState("");
  const [isSending, setIsSending] = useState(false);
  const { group, kind, namespace, name } = resource.ref;
  const titleId = `action-${action.name}`;
  const send = async (): Promise<void> => {
    setIsSending(true);
    const { uid } = resource;
    const refused = await sendWrite("action", { group, kind, namespace, name, uid, action: action.name, inputs });
    setIsSending(false);
    setProblem(refused ?? "");
    if (refused === undefined) dialog.current?.close();
  };
  const set = (input: string, value: string): void => setInputs((before) => ({ ...before, [input]: value }));
  return (
    <>
      <button type="button" onClick={() => dialog.current?.showModal()}>
        {action.label}
      </button>
      <dialog ref={dialog} aria-labelledby={titleId}>
        <h2 id={titleId}>
          {action.label}: {kind} {name}
        </h2>
        <p>{action.description}</p>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void send();
          }}
        >
          {action.inputs.map(({ name: input, label, initial, choices }) => (
            <label key={input}>
              {label}
              {choices === undefined ? (
                <input
                  type="text"
                  value={inputs[input] ?? initial}
                  onInput={({ currentTarget }) => set(input, currentTarget.value)}
                />
              ) : (
                <select
                  value={inputs[input] ?? initial}
                  onChange={({ currentTarget }) => set(input, currentTarget.value)}
                >
                  {choices.map((choice) => (
                    <option key={choice} value={choice}>
                      {choice}
                    </option>
                  ))}
                </select>
              )}
            </label>
          ))}
          <p role="alert">{problem}</p>
          <button type="submit" class={action.isDangerous ? "danger" : ""} disabled={isSending}>
            {action.label}
          </button>
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
        </form>
      </dialog>
    </>
  );
}
