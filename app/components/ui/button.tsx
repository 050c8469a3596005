import { Link } from "react-router-dom";
import type { LinkProps } from "react-router-dom";
import type { AnchorHTMLAttributes, ButtonHTMLAttributes } from "react";

/**
 * "primary" is for one button on each screen, "quiet" for those beside it, "danger" for what cannot
 * be undone, and "link" for a button among links.
 */
export type ButtonVariant = "primary" | "quiet" | "danger" | "link";

const CLASS_NAMES: Record<ButtonVariant, string> = {
  primary: "btn btn-primary",
  quiet: "btn btn-quiet",
  danger: "btn btn-error",
  link: "btn-link-like",
};

/** The class names of a button, for the rare element that is neither <button> nor <a>. */
export function getButtonClass(variant: ButtonVariant = "primary", className = ""): string {
  return className === "" ? CLASS_NAMES[variant] : `${CLASS_NAMES[variant]} ${className}`;
}

type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & { variant?: ButtonVariant };

/** A native button with `type="button"` by default. Forms use SubmitButton. */
export function Button({ variant, className, type = "button", ...rest }: ButtonProps) {
  return <button {...rest} type={type} className={getButtonClass(variant, className)} />;
}

type ButtonLinkProps = { variant?: ButtonVariant } & (
  | (Pick<LinkProps, "to"> & { href?: undefined } & AnchorHTMLAttributes<HTMLAnchorElement>)
  | ({ to?: undefined; href: string } & AnchorHTMLAttributes<HTMLAnchorElement>)
);

/**
 * A link that looks like a button: `to` for our own pages, `href` for others and for a document
 * load. A space keeps it apart from the next one where no style does.
 */
export function ButtonLink({ variant, className, to, href, children, ...rest }: ButtonLinkProps) {
  const classes = getButtonClass(variant, className);
  return (
    <>
      {to === undefined ? (
        <a {...rest} href={href} className={classes}>
          {children}
        </a>
      ) : (
        <Link {...rest} to={to} className={classes}>
          {children}
        </Link>
      )}{" "}
    </>
  );
}
