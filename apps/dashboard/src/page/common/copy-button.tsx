import type { JSX } from "preact";
import { useState } from "preact/hooks";

/** Copies a text to the clipboard. Screen readers announce the result. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }): JSX.Element {
  const [result, setResult] = useState("");
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setResult("Copied");
    } catch {
      setResult("Not copied: the browser refuses it");
    }
  };
  return (
    <>
      <button type="button" class="small" aria-label={`Copy ${label}`} onClick={() => void copy()}>
        Copy
      </button>
      <small role="status">{result}</small>
    </>
  );
}
