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

interface LinkAccountProps {
  email: string;
  /** The address of the account that is signed in, if it is another one. */
  current: string | null;
  /** What the reader should be sure of: "that address is yours". */
  onlyIf: string;
  /** Whether they stay signed in to their own account. */
  stays?: boolean;
}

/**
 * Whose link it is, before it is used: someone may have sent a link to their own account, so that
 * others act in it.
 */
export function LinkAccount({ email, current, onlyIf, stays = false }: LinkAccountProps) {
  return (
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
          {stays ? null : ". If you continue, we’ll sign you out of that account"}
        </>
      ) : null}
      . Continue only if {onlyIf}.
    </p>
  );
}

/**
 * The page of a one-time link in an email: a button that redeems the link. Opening the page
 * doesn't, because mail scanners and previews open links as well.
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
      <div className="prose">
        <p>{children}</p>
        <LinkAccount
          email={email}
          current={current}
          onlyIf={type === "email_change" ? "you asked for this change" : "that address is yours"}
          // The link of a change opens no account.
          stays={type === "email_change"}
        />
      </div>
      <PostForm intent="openLink">
        <input type="hidden" name="token_hash" value={tokenHash} />
        {type === undefined ? null : <input type="hidden" name="type" value={type} />}
        <SubmitButton>{label}</SubmitButton>
      </PostForm>
    </>
  );
}
