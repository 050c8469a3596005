import { json } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";

import { PageHeader } from "~/components/ui/page-header";
import { env } from "~/env.server";
import { routeLoader } from "~/http/route.server";
import { getTermsElsewhere } from "~/modules/billing/payment-terms.server";
import { Testimonials } from "~/modules/billing/testimonials";
import { FirstListings } from "~/modules/home/first-listings";
import { getFirstListings, getHome } from "~/modules/home/home.server";
import { summarizeTasks } from "~/modules/home/rules";
import { SupporterOffer, SupporterThanks } from "~/modules/home/supporter-offer";
import { TaskList } from "~/modules/home/task-list";
import { WaysToBeSeen } from "~/modules/home/ways-to-be-seen";
import { DeletionNotice } from "~/modules/privacy/deletion-notice";
import { isolate } from "~/text/isolate";

export const handle = { title: "Home" };

export const loader = routeLoader({ access: "signed in" }, async ({ db, session }) => {
  const { soloEmailUrl, blogFeatureUrl, testimonials } = env();
  const [home, listings] = await Promise.all([getHome(db), getFirstListings(db, session.user.id)]);
  return json({
    ...home,
    listings,
    name: session.user.fullName,
    deletion: session.user.deletion,
    soloEmailUrl,
    blogFeatureUrl,
    testimonials,
    terms: getTermsElsewhere(),
  });
});

export default function Home() {
  const { name, deletion, tasks, listings, supporter, hasFirstMonth, ...offers } =
    useLoaderData<typeof loader>();
  const { soloEmailUrl, blogFeatureUrl, testimonials, terms } = offers;
  return (
    <>
      <PageHeader
        title={name ? `Welcome, ${isolate(name)}` : "Welcome"}
        subtitle={
          tasks.length === 0 && (deletion || listings.all === 0)
            ? undefined
            : summarizeTasks(tasks.length)
        }
      />
      <DeletionNotice deletion={deletion} />
      <TaskList tasks={tasks} />
      {listings.all === 0 ? <FirstListings {...listings} /> : null}
      {supporter ? <SupporterThanks /> : <SupporterOffer hasFirstMonth={hasFirstMonth} />}
      {listings.all > 0 ? <FirstListings {...listings} /> : null}
      <Testimonials testimonials={testimonials} />
      <WaysToBeSeen soloEmailUrl={soloEmailUrl} blogFeatureUrl={blogFeatureUrl} terms={terms} />
    </>
  );
}
