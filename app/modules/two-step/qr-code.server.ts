import { encode } from "uqr";

/** The white margin that scanners need, in modules. */
const BORDER = 4;

/** A QR code as an SVG document: one path of the dark modules, row by row, on white. */
export function drawQrCode(text: string): string {
  const { data, size } = encode(text, { ecc: "M", border: BORDER });
  const path = data
    .flatMap((row, y) =>
      [
        ...row
          .map((dark) => (dark ? "1" : "0"))
          .join("")
          .matchAll(/1+/g),
      ].map(({ 0: run, index }) => `M${index} ${y}h${run.length}v1h-${run.length}z`),
    )
    .join("");
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges">` +
    `<rect width="${size}" height="${size}" fill="#fff"/><path d="${path}"/></svg>`
  );
}
