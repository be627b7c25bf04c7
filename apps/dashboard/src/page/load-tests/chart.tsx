import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import {
  type ChartData,
  describeChart,
  extremes,
  formatNumber,
  formatValue,
  type LimitLine,
} from "../../present/load-charts.ts";

interface ChartProps {
  readonly title: string;
  readonly unit: string;
  readonly data: ChartData;
  /** Name of each line. */
  readonly labels: readonly string[];
  readonly limits: readonly LimitLine[];
  /** `clock`: positions are times in seconds since 1970. `elapsed`: seconds since the start. */
  readonly time: "clock" | "elapsed";
}

const height = 200;

/**
 * A line chart with its legend. The legend has the values at the pointer, which the arrow keys move, or else the latest ones. It and the label of the chart are
 * also its alternative for people who cannot see it.
 */
export function Chart({ title, unit, data, labels, limits, time }: ChartProps): JSX.Element {
  const container = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const latestLimits = useRef(limits);
  latestLimits.current = limits;
  const [position, setPosition] = useState<number>();
  // Other lines need another plot; other values do not.
  const shape = JSON.stringify([labels, time]);
  useEffect(() => {
    const element = container.current;
    if (element === null) return undefined;
    const created = new uPlot(
      optionsOf({ labels, time, width: element.clientWidth, limits: () => latestLimits.current, onMove: setPosition }),
      alignedData(data),
      element,
    );
    plot.current = created;
    const observer = new ResizeObserver(() => created.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    const redraw = (): void => created.redraw(false, true);
    scheme.addEventListener("change", redraw);
    return () => {
      scheme.removeEventListener("change", redraw);
      observer.disconnect();
      created.destroy();
      plot.current = undefined;
    };
  }, [shape]);
  const limitText = JSON.stringify(limits);
  useEffect(() => plot.current?.setData(alignedData(data)), [data, limitText]);
  const move = (event: KeyboardEvent): void => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0 || data.x.length === 0) return;
    event.preventDefault();
    const last = data.x.length - 1;
    const next = Math.min(last, Math.max(0, (position ?? last + (step < 0 ? 1 : 0)) + step));
    const left = plot.current?.valToPos(data.x[next] ?? 0, "x") ?? 0;
    plot.current?.setCursor({ left, top: 0 });
    setPosition(next);
  };
  const leave = (): void => {
    plot.current?.setCursor({ left: -10, top: -10 });
    setPosition(undefined);
  };
  const at = position === undefined ? undefined : data.x[position];
  return (
    <figure class="chart">
      <figcaption>
        {title}
        {unit === "" ? "" : ` (${unit})`}
        <small>{at === undefined ? "" : ` at ${positionText(at, time)}`}</small>
      </figcaption>
      <div
        class="plot"
        role="img"
        tabIndex={0}
        ref={container}
        aria-label={describeChart({ title, unit }, { lines: data.lines, labels, limits })}
        onKeyDown={move}
        onBlur={leave}
      />
      <ul class="legend">
        {labels.map((label, index) => {
          const line = data.lines[index] ?? [];
          const value = position === undefined ? extremes(line).latest : valueAt(line, position);
          return (
            <li key={label}>
              <span class={`swatch line-${index}`} aria-hidden="true" />
              {label} <strong>{formatValue(value, unit)}</strong>
            </li>
          );
        })}
        {limits.map(({ label }) => (
          <li key={label}>
            <span class="swatch limit" aria-hidden="true" />
            {label}
          </li>
        ))}
      </ul>
    </figure>
  );
}

/** Returns the value at a position, or the nearest one before it: lines of a comparison have points at other times. */
function valueAt(line: readonly (number | null)[], position: number): number | undefined {
  for (let index = position; index >= 0; index -= 1) {
    const value = line[index];
    if (value !== null && value !== undefined) return value;
  }
  return undefined;
}

function positionText(seconds: number, time: ChartProps["time"]): string {
  return time === "clock" ? new Date(seconds * 1_000).toLocaleTimeString() : `${formatNumber(seconds)} s`;
}

function alignedData({ x, lines }: ChartData): uPlot.AlignedData {
  return [[...x], ...lines.map((line) => [...line])];
}

/** Returns the value of a CSS variable, so that charts have the colors of the page in light and dark. */
function color(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

interface PlotParts {
  readonly labels: readonly string[];
  readonly time: ChartProps["time"];
  readonly width: number;
  readonly limits: () => readonly LimitLine[];
  readonly onMove: (position: number | undefined) => void;
}

function optionsOf({ labels, time, width, limits, onMove }: PlotParts): uPlot.Options {
  const axis: uPlot.Axis = {
    stroke: () => color("--faint"),
    grid: { stroke: () => color("--line"), width: 1 },
    ticks: { stroke: () => color("--line"), width: 1 },
  };
  return {
    width,
    height,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
    scales: { x: { time: time === "clock" }, y: { range: (_plot, _min, max) => rangeOf(max, limits()) } },
    axes: [
      time === "clock" ? axis : { ...axis, values: (_plot, splits) => splits.map((seconds) => `${seconds} s`) },
      { ...axis, size: 64, values: (_plot, splits) => splits.map((value) => formatNumber(value)) },
    ],
    series: [
      {},
      ...labels.map((label, index): uPlot.Series => ({
        label,
        stroke: () => color(`--line-${index % 6}`),
        width: 2,
        // A comparison has points of runs at different times.
        spanGaps: true,
        ...(index % 2 === 1 ? { dash: [8, 3] } : {}),
      })),
    ],
    hooks: {
      draw: [(plot) => drawLimits(plot, limits())],
      setCursor: [(plot) => onMove(plot.cursor.idx ?? undefined)],
    },
  };
}

/** Returns the range of the value axis: from 0 to the largest value or limit. */
function rangeOf(max: number | null, limits: readonly LimitLine[]): [number, number] {
  const top = Math.max(max ?? 0, ...limits.map(({ value }) => value));
  return [0, top <= 0 ? 1 : top * 1.1];
}

function drawLimits(plot: uPlot, limits: readonly LimitLine[]): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.strokeStyle = color("--problem");
  ctx.fillStyle = color("--problem");
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([4 * devicePixelRatio, 4 * devicePixelRatio]);
  ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
  ctx.textAlign = "left";
  ctx.textBaseline = "bottom";
  for (const { label, value } of limits) {
    const y = plot.valToPos(value, "y", true);
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    ctx.fillText(label, bbox.left + 4 * devicePixelRatio, y - 2 * devicePixelRatio);
  }
  ctx.restore();
}
