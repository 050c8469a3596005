import { json } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";

import { PageHeader } from "~/components/ui/page-header";
import { env } from "~/env.server";
import { routeLoader } from "~/http/route.server";
import { getPaymentTerms } from "~/modules/billing/payment-terms.server";
import { TestimonialQuote, TESTIMONIALS } from "~/modules/billing/testimonials";
import { getHome } from "~/modules/home/home.server";
import { summarizeTasks } from "~/modules/home/rules";
import { SupporterOffer, SupporterThanks } from "~/modules/home/supporter-offer";
import { TaskList } from "~/modules/home/task-list";
import { WaysToBeSeen } from "~/modules/home/ways-to-be-seen";
import { isolate } from "~/text/isolate";

export const handle = { title: "Home" };

export const loader = routeLoader({ access: "signed in" }, async ({ db, session }) => {
  const { soloEmailUrl, blogFeatureUrl } = env();
  return json({
    ...(await getHome(db)),
    name: session.user.fullName,
    soloEmailUrl,
    blogFeatureUrl,
    terms: getPaymentTerms("elsewhere"),
  });
});

export default function Home() {
  const { name, tasks, supporter, soloEmailUrl, blogFeatureUrl, terms } =
    useLoaderData<typeof loader>();
  return (
    <>
      <PageHeader
        title={name ? `Welcome, ${isolate(name)}` : "Welcome"}
        subtitle={summarizeTasks(tasks.length)}
      />
      <TaskList tasks={tasks} />
      {supporter ? <SupporterThanks /> : <SupporterOffer />}
      <div className="testimonials">
        {TESTIMONIALS.map((testimonial) => (
          <TestimonialQuote key={testimonial.by} testimonial={testimonial} />
        ))}
      </div>
      <WaysToBeSeen soloEmailUrl={soloEmailUrl} blogFeatureUrl={blogFeatureUrl} terms={terms} />
    </>
  );
}
