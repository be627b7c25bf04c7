import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

interface VirtualListProps<T> {
  readonly items: readonly T[];
  readonly keyOf: (item: T) => string;
  readonly rowHeight: number;
  readonly label: string;
  readonly header: JSX.Element;
  /** Draws the cells of a row. */
  readonly row: (item: T) => JSX.Element;
}

/** Rows above and below the visible ones, so that the neighbors of a focused row exist. */
const overscan = 8;

/**
 * A table that draws only its visible rows, so that thousands of rows scroll smoothly.
 *
 * The arrow keys move the focus between the links of neighboring rows.
 */
export function VirtualList<T>({ items, keyOf, rowHeight, label, header, row }: VirtualListProps<T>): JSX.Element {
  const container = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 800 });
  const measure = (): void => {
    const element = container.current;
    if (element !== null) setView({ top: element.scrollTop, height: element.clientHeight });
  };
  useEffect(() => {
    const observer = new ResizeObserver(measure);
    if (container.current !== null) observer.observe(container.current);
    return () => observer.disconnect();
  }, []);
  const first = Math.max(0, Math.floor(view.top / rowHeight) - overscan);
  const shown = items.slice(first, first + Math.ceil(view.height / rowHeight) + 2 * overscan);
  const move = (event: KeyboardEvent): void => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const current = document.activeElement?.closest("[aria-rowindex]");
    if (step === 0 || current === null || current === undefined) return;
    const index = Number(current.getAttribute("aria-rowindex")) + step;
    const next = container.current?.querySelector(`[aria-rowindex="${index}"] a`);
    if (!(next instanceof HTMLElement)) return;
    event.preventDefault();
    next.focus();
  };
  return (
    <div class="list" role="table" aria-label={label} aria-rowcount={items.length + 1}>
      <div role="rowgroup">
        <div class="list-row list-head" role="row" aria-rowindex={1}>
          {header}
        </div>
      </div>
      <div class="list-body" role="rowgroup" tabIndex={0} ref={container} onScroll={measure} onKeyDown={move}>
        <div class="list-space" role="presentation" style={{ height: `${items.length * rowHeight}px` }}>
          {shown.map((item, offset) => (
            <div
              key={keyOf(item)}
              class="list-row"
              role="row"
              aria-rowindex={first + offset + 2}
              style={{ top: `${(first + offset) * rowHeight}px`, height: `${rowHeight}px` }}
            >
              {row(item)}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}
