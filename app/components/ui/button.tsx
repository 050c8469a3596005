import { Link } from "@remix-run/react";
import type { LinkProps } from "@remix-run/react";
import type { AnchorHTMLAttributes, ButtonHTMLAttributes } from "react";

/** One primary button a screen; quiet ones beside it; danger for what cannot be taken back; link for one among links. */
export type ButtonVariant = "primary" | "quiet" | "danger" | "link";

const classOf: Record<ButtonVariant, string> = {
  primary: "btn btn-primary",
  quiet: "btn btn-quiet",
  danger: "btn btn-error",
  link: "btn-link-like",
};

/** The class names of a button, for the rare element that is neither <button> nor <a>. */
export function getButtonClass(variant: ButtonVariant = "primary", className = ""): string {
  return className === "" ? classOf[variant] : `${classOf[variant]} ${className}`;
}

type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & { variant?: ButtonVariant };

/** A native button. It does nothing by itself (`type="button"`) unless told to; forms use SubmitButton. */
export function Button({ variant, className, type = "button", ...rest }: ButtonProps) {
  return <button {...rest} type={type} className={getButtonClass(variant, className)} />;
}

type ButtonLinkProps = { variant?: ButtonVariant } & (
  | (Pick<LinkProps, "to"> & { href?: undefined } & AnchorHTMLAttributes<HTMLAnchorElement>)
  | ({ to?: undefined; href: string } & AnchorHTMLAttributes<HTMLAnchorElement>)
);

/** A link that looks like a button: `to` for our own pages, `href` for others and for a full reload. */
export function ButtonLink({ variant, className, to, href, children, ...rest }: ButtonLinkProps) {
  const classes = getButtonClass(variant, className);
  return to === undefined ? (
    <a {...rest} href={href} className={classes}>
      {children}
    </a>
  ) : (
    <Link {...rest} to={to} discover="none" className={classes}>
      {children}
    </Link>
  );
}
