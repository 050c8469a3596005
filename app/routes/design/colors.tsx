import { Grid, type PartProps } from "./samples";

/** Each color with its name and its value in this scheme. */
export function Colors({ tokens }: PartProps) {
  return (
    <Grid>
      {Object.entries(tokens).map(([name, value]) => (
        <div key={name}>
          <div
            style={{
              background: `var(${name})`,
              height: "3rem",
              borderRadius: "var(--radius-control)",
              border: "1px solid var(--control)",
            }}
          />
          <p>
            <code>{name}</code> {value}
          </p>
        </div>
      ))}
    </Grid>
  );
}
