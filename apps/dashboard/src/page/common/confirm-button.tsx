import type { JSX } from "preact";
import { useId, useRef, useState } from "preact/hooks";

interface ConfirmProps {
  readonly label: string;
  readonly title: string;
  /** Consequences. */
  readonly text: string;
  readonly isDangerous?: boolean;
  readonly disabled?: boolean;
  /** Sends the writes. Returns the message of a refusal; undefined after a success. */
  readonly send: () => Promise<string | undefined>;
}

/** A button that sends a write after the user has read its consequences. */
export function ConfirmButton({ label, title, text, isDangerous, disabled, send }: ConfirmProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const [problem, setProblem] = useState("");
  const [isSending, setIsSending] = useState(false);
  const confirm = async (): Promise<void> => {
    setIsSending(true);
    const refused = await send();
    setIsSending(false);
    setProblem(refused ?? "");
    if (refused === undefined) dialog.current?.close();
  };
  return (
    <>
      <button type="button" disabled={disabled} onClick={() => dialog.current?.showModal()}>
        {label}
      </button>
      <dialog ref={dialog} aria-labelledby={titleId}>
        <h2 id={titleId}>{title}</h2>
        <p>{text}</p>
        <p role="alert">{problem}</p>
        <button
          type="button"
          class={isDangerous === true ? "danger" : ""}
          disabled={isSending}
          onClick={() => void confirm()}
        >
          {label}
        </button>
        <button type="button" onClick={() => dialog.current?.close()}>
          Cancel
        </button>
      </dialog>
    </>
  );
}
