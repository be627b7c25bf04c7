import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { readRoute, type Route } from "../../present/routes.ts";

const changed = "homeostat-navigated";

/** Returns the place that the address bar shows. The component is drawn again when it changes. */
export function useRoute(): Route {
  const read = (): Route => readRoute(location.pathname, location.search);
  const [route, setRoute] = useState(read);
  useEffect(() => {
    const update = (): void => setRoute(read());
    addEventListener("popstate", update);
    addEventListener(changed, update);
    return () => {
      removeEventListener("popstate", update);
      removeEventListener(changed, update);
    };
  }, []);
  return route;
}

/** Goes to a path of the page without loading it again. */
export function navigate(path: string): void {
  history.pushState(undefined, "", path);
  dispatchEvent(new Event(changed));
  scrollTo(0, 0);
}

interface LinkProps {
  readonly to: string;
  readonly children: ComponentChildren;
  readonly class?: string;
  readonly current?: boolean;
}

/** A link to a path of the page. */
export function Link({ to, children, class: className, current = false }: LinkProps): JSX.Element {
  const go = (event: MouseEvent): void => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    navigate(to);
  };
  return (
    <a href={to} onClick={go} class={className} aria-current={current ? "page" : undefined}>
      {children}
    </a>
  );
}
