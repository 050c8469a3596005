import { webLinkOf } from "./fields";

export interface NewsletterWords {
  business: string;
  promoText: string;
  link: string;
  location: string;
  photoLocation: string;
}

/** A feature as it stands in the newsletter. What is not filled in yet says what will stand there. */
export function NewsletterBlock({
  business,
  promoText,
  link,
  location,
  photoLocation,
}: NewsletterWords) {
  const address = webLinkOf(link.trim());
  return (
    <div className="card letter">
      <p className="photo">
        {photoLocation.trim() === "" ? "Your photo" : "Your photo, from where you say it is"}
      </p>
      <div>
        <h3>{business || "Your business"}</h3>
        {location.trim() === "" ? null : <p className="hint">{location}</p>}
      </div>
      <p className="words">
        {promoText.trim() === "" ? "What readers should know about you." : promoText}
      </p>
      {address === null ? null : (
        <p className="link-like">{new URL(address).hostname.replace(/^www\./, "")}</p>
      )}
    </div>
  );
}
