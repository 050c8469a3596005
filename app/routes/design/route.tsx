import { json } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { Fragment } from "react";
import type { CSSProperties } from "react";

import { PageHeader } from "~/components/ui/page-header";
import { routeLoader } from "~/http/route.server";

import { Buttons } from "./buttons";
import { Colors } from "./colors";
import { Fields } from "./fields";
import { Lists } from "./lists";
import { Messages } from "./messages";
import { ICONS, SCHEMES } from "./sources.server";
import { Type } from "./type";

export const handle = { title: "Design" };

/** Every part of the product in every state. Only in development: see remix.config.js. */
export const loader = routeLoader({ access: "signed in" }, async () =>
  json({ schemes: SCHEMES, icons: ICONS }),
);

const PARTS = { Colors, Type, Buttons, Messages, Fields, Lists };

export default function Design() {
  const { schemes, icons } = useLoaderData<typeof loader>();
  return (
    <>
      <PageHeader
        title="Design"
        subtitle="Each part in its states, in light and in dark colors. The rules are in docs/design.md."
      />
      <nav aria-label="Parts">
        <ul className="chips">
          {Object.keys(PARTS).map((name) => (
            <li key={name}>
              <a className="chip" href={`#${name}`}>
                {name}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      {Object.entries(PARTS).map(([name, Part]) => (
        <Fragment key={name}>
          <h2 id={name}>{name}</h2>
          {schemes.map(({ scheme, tokens }) => (
            <section
              key={scheme}
              aria-label={`${name}, ${scheme}`}
              style={inScheme(scheme, tokens)}
            >
              <Part scheme={scheme} tokens={tokens} icons={icons} />
            </section>
          ))}
        </Fragment>
      ))}
    </>
  );
}

/** What the part of a page looks like where a reader has chosen this scheme. */
const inScheme = (scheme: string, tokens: Record<string, string>): CSSProperties => ({
  ...tokens,
  colorScheme: scheme,
  color: "var(--ink)",
  background: "var(--paper)",
  border: "1px solid var(--line)",
  display: "grid",
  gridTemplateColumns: "minmax(0, 1fr)",
  gap: "1rem",
  padding: "1.5rem",
  marginBlock: "0.75rem 1.5rem",
});
