import type { ReactNode } from "react";

import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";

interface EmailedLinkButtonProps {
  title: string;
  tokenHash: string;
  /** "email" or "email_change", where the page takes more than one kind of link. */
  type?: string;
  label: string;
  children: ReactNode;
}

/**
 * The page of a one-time link in an email: a button that redeems the link. Opening the page
 * doesn't, because mail scanners and previews open links as well.
 */
export function EmailedLinkButton({
  title,
  tokenHash,
  type,
  label,
  children,
}: EmailedLinkButtonProps) {
  return (
    <>
      <h1>{title}</h1>
      <p>{children}</p>
      <PostForm intent="openLink">
        <input type="hidden" name="token_hash" value={tokenHash} />
        {type === undefined ? null : <input type="hidden" name="type" value={type} />}
        <SubmitButton>{label}</SubmitButton>
      </PostForm>
    </>
  );
}
