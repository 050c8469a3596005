import type { ReactNode } from "react";

import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";

interface EmailedLinkButtonProps {
  title: string;
  tokenHash: string;
  /** The address that the link was sent to. */
  email: string;
  /** The address of the account that is signed in, if it is another one. */
  current: string | null;
  /** "email" or "email_change", where the page takes more than one kind of link. */
  type?: string;
  label: string;
  children: ReactNode;
}

/**
 * The page of a one-time link in an email: a button that redeems the link. Opening the page
 * doesn't, because mail scanners and previews open links as well. The page names the account, since
 * someone may have sent a link to an account of their own, to have others act in it.
 */
export function EmailedLinkButton({
  title,
  tokenHash,
  email,
  current,
  type,
  label,
  children,
}: EmailedLinkButtonProps) {
  return (
    <>
      <h1>{title}</h1>
      <p>{children}</p>
      <p>
        This link is for{" "}
        <b>
          <bdi>{email}</bdi>
        </b>
        {current ? (
          <>
            , but you’re signed in as{" "}
            <b>
              <bdi>{current}</bdi>
            </b>
            . If you continue, we’ll sign you out of that account
          </>
        ) : null}
        . Continue only if that address is yours.
      </p>
      <PostForm intent="openLink">
        <input type="hidden" name="token_hash" value={tokenHash} />
        {type === undefined ? null : <input type="hidden" name="type" value={type} />}
        <SubmitButton>{label}</SubmitButton>
      </PostForm>
    </>
  );
}
