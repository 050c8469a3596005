import { formatCount } from "~/text/counts";

/** A position, as the database has it: in degrees. */
interface Pin {
  lat: unknown;
  long: unknown;
}

interface Change {
  column: string;
  before: unknown;
  after: unknown;
}

/** The coordinates of a position, which no one can judge. In words, they are one change (withMove). */
const COORDINATES: readonly string[] = ["lat", "long"];
/** The columns of a position. */
export const PIN_COLUMNS: readonly string[] = [...COORDINATES, "address_approximate"];
/** What stands beside the move, as the value before. */
const APPROVED_PIN = "where it was approved";
const EARTH_RADIUS_MILES = 3958.7613;
/** A shorter move mostly follows from how an address is written. */
const LEAST_MILES = 0.5;

/** The distance between two positions: haversine, on a sphere. */
function milesBetween(one: Record<"lat" | "long", number>, other: typeof one): number {
  const radians = (degrees: number) => (degrees * Math.PI) / 180;
  const half = (degrees: number) => Math.sin(radians(degrees) / 2) ** 2;
  const cosines = Math.cos(radians(one.lat)) * Math.cos(radians(other.lat));
  const chord = half(other.lat - one.lat) + cosines * half(other.long - one.long);
  return 2 * EARTH_RADIUS_MILES * Math.asin(Math.min(1, Math.sqrt(chord)));
}

export const isCoordinate = (column: string): boolean => COORDINATES.includes(column);

const isPlaced = (pin: Pin): pin is Record<"lat" | "long", number> =>
  typeof pin.lat === "number" && typeof pin.long === "number";

/**
 * How an edit moves the pin on the map.
 * @returns "about 1,300 miles away", and whether it is more than what follows from how an address is written
 */
export function describeMove(
  before: Pin,
  after: Pin,
): { was: string | null; text: string; isFar: boolean } {
  const was = isPlaced(before) ? APPROVED_PIN : null;
  if (!isPlaced(after)) return { was, text: "removed", isFar: true };
  if (!isPlaced(before)) return { was, text: "set", isFar: true };
  const miles = milesBetween(before, after);
  if (miles < LEAST_MILES) return { was, text: "less than half a mile away", isFar: false };
  const about = Math.max(1, Math.round(Number(miles.toPrecision(2))));
  return { was, text: `about ${formatCount(about, "mile")} away`, isFar: true };
}

/**
 * The changes of an edit, with the move of the pin in words before its coordinates; as they are when it stays. (A
 * coordinate that stays is in them, too, for the distance.)
 */
export function withMove(changes: readonly Change[]): (Change & { isFar?: boolean })[] {
  const at = changes.findIndex(({ column }) => isCoordinate(column));
  if (at === -1) return [...changes];
  const pin = (version: "before" | "after"): Pin => {
    const valueOf = (column: string) => changes.find((one) => one.column === column)?.[version];
    return { lat: valueOf("lat"), long: valueOf("long") };
  };
  const { was, text, isFar } = describeMove(pin("before"), pin("after"));
  const move = { column: "position", before: was, after: text, isFar };
  const isMoved = ({ column, before, after }: Change) => !isCoordinate(column) || before !== after;
  return [...changes.slice(0, at), move, ...changes.slice(at).filter(isMoved)];
}
