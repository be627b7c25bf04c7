import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { SessionActions } from "./session.ts";

/** The form for a token of the cluster. */
export function LoginPage({
  message,
  actions,
}: {
  readonly message: string;
  readonly actions: SessionActions;
}): JSX.Element {
  const [token, setToken] = useState("");
  const [refusal, setRefusal] = useState("");
  const [isSending, setSending] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const send = async (): Promise<void> => {
    setSending(true);
    const refused = await actions.logIn(token.trim());
    setSending(false);
    setRefusal(refused ?? "");
    if (refused !== undefined) input.current?.focus();
  };
  return (
    <main id="main">
      <h1>Log in</h1>
      <p>{message} Enter a token of the cluster: the dashboard reads and writes with the rights of its user.</p>
      <form
        class="login"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isSending) void send();
        }}
      >
        <label>
          Token
          <input
            ref={input}
            type="password"
            name="token"
            autocomplete="off"
            spellcheck={false}
            required
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
        </label>
        <button type="submit" disabled={isSending}>
          Log in
        </button>
      </form>
      <div role="alert" class={refusal === "" ? "" : "note problem"}>
        {refusal}
      </div>
      <p>A token of a ServiceAccount, valid for 8 hours:</p>
      <pre class="command">
        <code>kubectl create token NAME --namespace NAMESPACE --duration 8h</code>
      </pre>
      <p>Your browser keeps the token in an encrypted cookie until it expires or you log out.</p>
    </main>
  );
}
