import { useOptionalApp } from "~/components/layout/app-context";

/** A slim line that says this is a demo on the person's own machine, and where its e-mails are. Else nothing. */
export function DemoBanner() {
  const mailboxUrl = useOptionalApp()?.mailboxUrl;
  if (!mailboxUrl) return null;
  return (
    <aside className="demo-banner" aria-label="Local demo">
      Local demo: no e-mail leaves this machine. <a href={mailboxUrl}>Open the mailbox</a>
    </aside>
  );
}
