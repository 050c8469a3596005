/** How the last four weeks differ from the four before: "▲ 18%", "▼ 9%", or "same". */
export function ViewChange({ percent, as: Tag = "span" }: { percent: number; as?: "span" | "dd" }) {
  if (percent === 0) return <Tag className="change">same</Tag>;
  const isMore = percent > 0;
  return (
    <Tag className={isMore ? "change up" : "change down"}>
      <span aria-hidden="true">{isMore ? "▲" : "▼"}</span>
      <span className="sr-only">{isMore ? "up" : "down"}</span>
      {` ${Math.abs(percent)}%`}
    </Tag>
  );
}
