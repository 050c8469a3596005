/** Why the database refuses what a caller asked for, by the code that it raises. */
export const SPONSORSHIP_REFUSALS = {
  payment_open:
    "A payment for this order is open. Cancel it first, then change dates, price or business.",
  sponsorship_paid: "This sponsorship is paid for: its dates, price and business stay as they are.",
  sponsorship_place_not_yours: "Please choose one of your own listings.",
  sponsored_listing_left:
    "This business isn’t yours anymore, so you can’t change what the newsletter says about it. Your order and your receipt stay here.",
  not_a_newsletter_day: "Newsletters go out on Tuesdays and Thursdays.",
  newsletter_date_past: "Please choose dates that are still to come.",
  too_many_dates: "Please choose fewer dates.",
  sponsorship_not_paid: "This order isn’t paid for, so there’s nothing to cancel.",
  dates_not_booked: "Choose the newsletters you want to cancel.",
  cancellation_too_late: "It’s too late to cancel one of these newsletters.",
  cancellation_days_range: "Enter a number of days from 1 to 60.",
} as const satisfies Readonly<Record<string, string>>;
