import type { JSX } from "preact";
import type { SessionActions, SessionState } from "./session.ts";

/** The user and the button that ends the session, if the user logged in here. */
export function LogoutButton({
  state,
  actions,
}: {
  readonly state: SessionState;
  readonly actions: SessionActions;
}): JSX.Element | null {
  if (state.step !== "in" || (state.user === "" && !state.hasLogout)) return null;
  return (
    <div class="user">
      <span title={state.user}>{state.user}</span>
      {state.hasLogout && (
        <button type="button" onClick={() => void actions.logOut()}>
          Log out
        </button>
      )}
    </div>
  );
}
