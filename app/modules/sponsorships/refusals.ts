/** Why the database refuses what a caller asked for, by the code that it raises. */
export const SPONSORSHIP_REFUSALS = {
  payment_open:
    "A payment for this order is still open. Cancel it before you change the dates, price or business.",
  sponsorship_paid:
    "This order is already paid for, so its dates, price and business can’t be changed.",
  sponsorship_was_sent:
    "A newsletter with your feature goes out today or has already gone out, so this order stays here for your records.",
  order_holds_spots:
    "A payment for this order has just begun, so you can’t delete the order. Please try again in a moment.",
  too_many_new_sponsorships: "You’ve reached the daily limit for new orders.",
  too_many_order_changes: "You’ve reached the hourly limit for changes to orders.",
  sponsorship_place_not_yours: "Please choose one of your own listings.",
  sponsored_listing_left:
    "You no longer own this business, so you can’t edit its feature. Your order and receipt stay here.",
  not_a_newsletter_day: "Newsletters go out on Tuesdays and Thursdays.",
  newsletter_date_past: "Please choose dates in the future.",
  too_many_dates: "Please choose fewer dates.",
  sponsorship_not_paid: "You haven’t paid for this order, so there’s nothing to cancel.",
  dates_not_booked: "Select the newsletters you want to cancel.",
  cancellation_too_late: "It’s too late to cancel one of these newsletters.",
  cancellation_disputed:
    "Your bank is still reviewing a dispute about this payment, so you can’t cancel newsletters yet.",
  cancellation_refunded_before:
    "We’ve already refunded part of this order, and what’s left doesn’t cover the newsletters you’d keep. You can cancel all of them, or keep all of them.",
  cancellation_days_range: "Enter a number of days from 1 to 60.",
} as const satisfies Readonly<Record<string, string>>;
