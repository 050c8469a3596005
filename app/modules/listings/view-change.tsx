/** How the last four weeks differ from the four before: "▲ 18%", "▼ 9%", or "same". */
export function ViewChange({ percent }: { percent: number }) {
  if (percent === 0) return <>same</>;
  const isMore = percent > 0;
  return (
    <span className={isMore ? "up" : "down"}>
      <span aria-hidden="true">{isMore ? "▲" : "▼"}</span>
      <span className="sr-only">{isMore ? "up" : "down"}</span>
      {` ${Math.abs(percent)}%`}
    </span>
  );
}
