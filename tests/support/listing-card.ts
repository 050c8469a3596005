/** The HTML of one listing's card or row on its owner's listings. @throws when the page has none */
export function findListingCard(page: { body: string }, id: number): string {
  const listings = page.body.match(/<li class="(?:listing-row|card )[^>]*>.*?<\/li>/gs) ?? [];
  const found = listings.find((one) => one.includes(`href="/listings/${id}?back=`));
  if (found === undefined) throw new Error(`The page has no listing ${id}.`);
  return found.replace(/<!--.*?-->/gs, "");
}
