import { useOptionalApp } from "~/components/layout/app-context";

/** Says that this is a local demo, and links to its mailbox. Renders nothing in production. */
export function DemoBanner() {
  const mailboxUrl = useOptionalApp()?.mailboxUrl;
  if (!mailboxUrl) return null;
  return (
    <aside className="demo-banner" aria-label="Local demo">
      Local demo: no email is sent. <a href={mailboxUrl}>Mailbox</a>
    </aside>
  );
}
