import { renderToStaticMarkup } from "react-dom/server";
import { StaticRouter } from "react-router-dom/server";

import { NEUTRAL_NAME } from "~/components/layout/brand";
import { ErrorPage } from "~/components/layout/error-page";
import plainIcon from "~/components/layout/favicon-plain.svg?url";
import { TopBar } from "~/components/layout/top-bar";
import type { ShownFailure } from "~/http/failure-document.server";
import styles from "~/styles/app.css?url";

/** The HTML of a failure as a document of its own, without script. */
export function renderFailureDocument(failure: ShownFailure): string {
  const document = renderToStaticMarkup(
    <StaticRouter location="/">
      <FailureDocument {...failure} />
    </StaticRouter>,
  );
  return `<!doctype html>${document}`;
}

/** Like every page for someone we don't know, it doesn't name the directory. */
function FailureDocument(failure: ShownFailure) {
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${failure.title} · ${NEUTRAL_NAME}`}</title>
        <link rel="icon" href={plainIcon} />
        <link rel="stylesheet" href={styles} />
      </head>
      <body>
        <TopBar />
        <div className="signed-out">
          <main id="content">
            <div className="sheet">
              <ErrorPage {...failure} />
            </div>
          </main>
        </div>
      </body>
    </html>
  );
}
